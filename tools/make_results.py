#!/usr/bin/env python3
"""Make docs/results.md from results/: a folder a run, published.json, and page.md, the page's form.

usage: tools/make_results.py [--check]

--check writes nothing and fails when the page differs from what it would write.

A run's folder holds config.yaml (resolved), metrics.jsonl, eval.json where the test split was read (what `hasa eval
--json` says, without the breakdowns) and record.json: command, machine, wall seconds, and what else was going on.

page.md is Markdown in which
  {{table KIND            a table; each line of it is a row: runs that differ in their seed alone, which are averaged,
  run, run -> published     or `published NAME` alone; after an arrow the published figure to meet
  }}
  {{mrr RUN...}}          a metric of the test split (mrr, hits@1, mr, ...), the mean over the runs that are named
  {{valid RUN}}           the best validation MRR, {{at_epoch N RUN}} the one after an epoch
  {{less mrr A B}}        by how much A is ahead of B
  {{paper RUN...}}        the MRR by the paper's protocol
  {{published NAME}}      a published MRR
  {{seconds RUN...}}      the mean wall time
A row is named by what its config says was run, never by hand: HaSa is loss.kind=hasa with beta > 0 and tau > 0.
"""
import json
import pathlib
import re
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "results"
PAGE = ROOT / "docs" / "results.md"

FORMS = {"transe": "TransE", "distmult": "DistMult", "complex": "ComplEx", "rotate": "RotatE"}


class Wrong(Exception):
    """The files contradict each other; the message says which and why."""


def parse_yaml(text):
    """The YAML that hasa writes: keys and plain values, two levels deep. -> {"loss.beta": "0", ...}"""
    options, section = {}, ""
    for line in text.splitlines():
        key, _, value = line.strip().partition(":")
        if not line.startswith(" "):
            section = ""
        if value.strip() == "" and not line.startswith(" "):
            section = key + "."
        else:
            options[section + key] = value.strip().strip('"')
    return options


class Run:
    def __init__(self, folder):
        self.name = folder.name
        self.options = parse_yaml((folder / "config.yaml").read_text())
        self.epochs = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
        self.record = json.loads((folder / "record.json").read_text())
        evaluation = folder / "eval.json"
        self.eval = json.loads(evaluation.read_text()) if evaluation.exists() else None

    def option(self, name):
        if name not in self.options:
            raise Wrong(f"{self.name}: its config has no {name}")
        return self.options[name]

    def number(self, name):
        return float(self.option(name))

    def metric(self, name):
        if self.eval is None:
            raise Wrong(f"{self.name} has no eval.json: its test split was not read")
        return self.eval["all"][name]

    def valid(self):
        return max(epoch["valid"]["all"]["mrr"] for epoch in self.epochs if "valid" in epoch)

    def valid_at(self, number):
        for epoch in self.epochs:
            if epoch["epoch"] == number and "valid" in epoch:
                return epoch["valid"]["all"]["mrr"]
        raise Wrong(f"{self.name} was not validated after epoch {number}")

    def family(self):
        kind = self.option("model.type")
        if kind in ("rules", "popularity"):
            return "fitted"
        if kind in ("path", "fusion"):
            return kind
        return kind if kind in ("text", "frozen", "kbgan") else "table"


# ---- names: what a config says was run ----

def loss_name(run):
    """By the definitions of the losses, regardless of file names."""
    kind, beta, tau = run.option("loss.kind"), run.number("loss.beta"), run.number("loss.tau")
    back = run.option("loss.tail_to_query") == "true"
    if kind == "hasa" and beta > 0 and tau > 0:
        return "HaSa+" if back else "HaSa"
    if kind in ("hard", "hasa") and beta > 0:
        name = "Hard InfoNCE"
    elif kind == "hasa" and tau > 0:
        name = "Simple InfoNCE with the structure correction"
    else:
        name = "Simple InfoNCE"
    return name + " + tail-to-query" if back else name


def text_model_name(run):
    form = "joint query (head and relation as one text)" if run.option("model.query") == "joint" else "GRU query"
    context = "context in the text" if run.number("text.context") > 0 else "texts alone"
    tuned = int(run.number("model.tuned_layers"))
    layers = "" if tuned < 0 else f", last {tuned} layers tuned"
    draws = int(float(run.options.get("text.draws", "1")))
    return f"{form}, {context}{layers}" + (f", {draws} context samples per text" if draws > 1 else "")


def language_model(run):
    path = run.option("language_model.path")
    return path if "/" not in path else "the fine-tuned " + path.split("/")[-2]


def frozen_model_name(run):
    layers = int(run.number("model.context_layers"))
    context = f"{layers} layer{'s' if layers > 1 else ''} of vector context" if layers else "texts alone"
    return f"over {language_model(run)}, {context}"


def table_model_name(run):
    form, dim = run.option("model.type"), int(run.number("model.dim"))
    if form == "kbgan":
        return f"KBGAN, {run.option('model.generator')} as generator for {run.option('model.discriminator')}, dimension {dim}"
    size = f"dimension {dim // 2:,} (complex)" if form in ("complex", "rotate") else f"dimension {dim}"
    against = ("all entities" if run.option("tables.training") != "negative_sampling"
               else f"{int(run.number('tables.negatives'))} negatives per triple")
    extra = []
    if run.number("tables.entity_regulariser") > 0 and run.number("tables.regulariser_power") == 3:
        extra.append("N3")
    if run.number("tables.relation_prediction") > 0:
        extra.append("relation prediction")
    if run.options.get("tables.self_negative") == "true":
        extra.append("the head among them")
    if run.options.get("tables.weights", "evenly") not in ("evenly", "none"):
        extra.append("weights " + run.options["tables.weights"].replace("_", " "))
    return ", ".join([FORMS[form], size, against] + extra)


def fitted_model_name(run):
    kinds = [kind for kind in ("frequency", "edges", "paths") if run.options.get("model." + kind) == "true"]
    if run.option("model.type") == "popularity":
        return "popularity: how often an entity answered the relation"
    constants = ["constants"] if float(run.options.get("model.constants", "0")) > 0 else []
    return "rules: " + ", ".join(kinds[:1] + constants + kinds[1:])


def path_model_name(run):
    form = "PNA" if run.option("model.aggregation") == "pna" else "sum"
    hidden = "the batch's own edges" if run.option("paths.hide") == "batch" else "all edges between asked pairs"
    return (f"paths of up to {run.option('model.layers')} edges, {run.option('model.dim')} numbers, {form}, "
            f"{hidden} hidden in training")


def fusion_model_name(run):
    """Its parts are named in its certificate, with their hashes."""
    part = "of its part "
    weights = run.eval["certificate"]["weights"] if run.eval else {}
    names = [name.removeprefix(part).split("_", 1)[-1] for name in weights if name.startswith(part)]
    linked = ", whether the pair is linked" if run.option("model.linked") == "true" else ""
    return "fusion of " + ", ".join(names) + linked


def model_name(run):
    names = {"text": text_model_name, "frozen": frozen_model_name, "fitted": fitted_model_name,
             "path": path_model_name, "fusion": fusion_model_name}
    return names.get(run.family(), table_model_name)(run)


# ---- cells ----

def share(value):
    text = f"{value:.3f}"
    return text[1:] if text.startswith("0.") else text


def duration(seconds):
    if seconds >= 600:
        return f"{seconds // 60:.0f} min {seconds % 60:.0f} s"
    return f"{seconds:g} s" if seconds < 20 else f"{seconds:.0f} s"


def plain(value):
    """2e-05 and not 2e-5 or 0.00002: as the config has it, a leading 0 apart."""
    return value[1:] if value.startswith("0.") else value


def mean(runs, what):
    return statistics.fmean(run.metric(what) for run in runs)


def times(runs):
    known = [run.record["seconds"] for run in runs if "seconds" in run.record]
    if not known:
        return "–"
    beside = sorted({run.record["beside"] for run in runs if "beside" in run.record})
    return duration(statistics.fmean(known)) + "".join(", " + words for words in beside)


def speed(runs):
    if any("beside" in run.record for run in runs):
        return "–"
    return f"{statistics.median(e['triples_per_second'] for run in runs for e in run.epochs):,.0f}"


def memory(runs):
    """Peak memory of tensors; early programs reported only what the allocator had reserved."""
    runs = [run for run in runs if run.record.get("memory_is") != "reserved"] or runs
    most = max((e.get("peak_bytes", 0) for run in runs for e in run.epochs), default=0)
    if most == 0:
        return "–"
    reserved = any(run.record.get("memory_is") == "reserved" for run in runs)
    return f"{most / 2**30:.1f} GiB" + (" reserved" if reserved else "")


def paper_protocol(runs):
    if any(run.eval is None or "paper_protocol" not in run.eval for run in runs):
        return "–"
    form = runs[0].options.get("model.score", "cosine")
    on = "cosines" if form == "cosine" else "dot products"
    return f"{share(statistics.fmean(run.eval['paper_protocol']['mrr'] for run in runs))} on {on}"


def machine(runs):
    return "CPU" if "core" in runs[0].record["machine"].split(",")[0] else "H200"


def seeds(runs):
    return ", ".join(run.option("seed") for run in runs)


def commits(runs):
    return ", ".join(sorted({run.record.get("commit", "–")[:7] for run in runs}))


def mined(run):
    return "all entities" if run.family() == "frozen" else run.option("negatives.hard")


def neighbours(run):
    """Used only by the structure correction."""
    return run.option("negatives.neighbours") if run.option("loss.kind") == "hasa" else "–"


def link(runs):
    return ", ".join(f"[{run.name}](../results/{run.name})" for run in runs)


def loss_cells(run):
    weighted, corrected = run.option("loss.kind") != "simple", run.option("loss.kind") == "hasa"
    return {"loss": loss_name(run), "beta": plain(run.option("loss.beta")) if weighted else "–",
            "tau": plain(run.option("loss.tau")) if corrected else "–", "mined": mined(run),
            "neighbours": neighbours(run)}


METRICS = {"MRR": "mrr", "H@1": "hits@1", "H@3": "hits@3", "H@10": "hits@10", "MR": "mr"}


def cells_of(runs, to_meet):
    first = runs[0]
    cells = {"graph": first.option("graph").split("/")[-1], "model": model_name(first), "seeds": seeds(runs),
             "epochs": first.options.get("train.epochs", "–"), "batch": first.options.get("train.batch", "–"), "time": times(runs),
             "triples/s": speed(runs), "memory": memory(runs), "machine": machine(runs), "commit": commits(runs),
             "run": link(runs), "paper protocol": paper_protocol(runs),
             "recipe from": first.record.get("recipe", "validation"),
             "valid MRR": share(statistics.fmean(run.valid() for run in runs))}
    if first.family() in ("text", "frozen"):
        cells.update(loss_cells(first))
    if all(run.eval for run in runs):
        cells.update({name: share(mean(runs, key)) for name, key in METRICS.items() if name != "MR"})
        cells["MR"] = f"{mean(runs, 'mr'):,.0f}"
        cells["each seed"] = ", ".join(f"{run.metric('mrr'):.4f}"[1:] for run in runs)
    if to_meet:
        cells["to meet"] = f"{share(to_meet['mrr'])} ({to_meet['source']})"
    return cells


def published_cells(entry):
    cells = {"graph": "", "model": f"*{entry['system']}*", "loss": entry.get("by", ""), "run": entry["source"]}
    cells.update({name: share(entry[key]) for name, key in METRICS.items() if key in entry and name != "MR"})
    if "mr" in entry:
        cells["MR"] = str(entry["mr"])
    return cells


LOSS = ["loss", "beta", "tau", "mined", "neighbours"]
COLUMNS = {
    "trained": ["graph", "model", *LOSS, "epochs", "seeds", "recipe from", "time", "triples/s", "memory", *METRICS,
                "paper protocol", "commit", "run"],
    "losses": [*LOSS, "epochs", "seeds", "time", *METRICS, "run"],
    "steps": ["model", "loss", "batch", "epochs", "seeds", "valid MRR", "commit", "run"],
    "frozen": ["graph", "model", *LOSS, "epochs", "seeds", "machine", "time", "memory", *METRICS, "commit", "run"],
    "tables": ["graph", "model", "epochs", "seeds", "machine", "time", *METRICS, "to meet", "commit", "run"],
    "fitted": ["graph", "model", "machine", "time", "valid MRR", *METRICS, "commit", "run"],
    "seeds": ["graph", "model", "seeds", "each seed", "MRR", "to meet"],
    "untuned": ["graph", "model", "epochs", "time", "valid MRR", *METRICS, "commit", "run"],
}


class Results:
    def __init__(self, folder=RESULTS):
        self.published = json.loads((folder / "published.json").read_text())
        self.runs = {path.parent.name: Run(path.parent) for path in sorted(folder.glob("*/config.yaml"))}
        self.used = set()

    def run(self, name):
        if name not in self.runs:
            raise Wrong(f"results/ has no run {name}")
        self.used.add(name)
        return self.runs[name]

    def publication(self, name):
        if name not in self.published:
            raise Wrong(f"published.json has no {name}")
        return self.published[name]

    def same_but_for_the_seed(self, runs):
        for run in runs[1:]:
            differ = {key for key in run.options.keys() | runs[0].options.keys()
                      if run.options.get(key) != runs[0].options.get(key)} - {"seed"}
            added = {key for key in differ if key not in run.options or key not in runs[0].options}  # by a newer program
            if differ - added:
                raise Wrong(f"{run.name} is not {runs[0].name} with another seed: {', '.join(sorted(differ - added))}")

    def row(self, line):
        names, _, to_meet = (part.strip() for part in line.partition("->"))
        if names.startswith("published "):
            return published_cells(self.publication(names.split()[1]))
        runs = [self.run(name.strip()) for name in names.split(",")]
        self.same_but_for_the_seed(runs)
        return cells_of(runs, self.publication(to_meet) if to_meet else None)

    def table(self, kind, lines):
        if kind not in COLUMNS:
            raise Wrong(f"page.md: unknown kind of table {kind}; known are {', '.join(COLUMNS)}")
        rows = [self.row(line) for line in lines]
        columns = [column for column in COLUMNS[kind] if any(column in row for row in rows)]
        out = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
        out += ["| " + " | ".join(row.get(column, "") for column in columns) + " |" for row in rows]
        return "\n".join(out)

    def value(self, words):
        what, rest = words[0], words[1:]
        if what == "published":
            return share(self.publication(rest[0])["mrr"])
        if what == "less":
            ahead, behind = (self.run(name).metric(rest[0]) for name in rest[1:])
            return share(ahead - behind)
        if what == "at_epoch":
            return share(self.run(rest[1]).valid_at(int(rest[0])))
        runs = [self.run(name) for name in rest]
        if what == "valid":
            return share(statistics.fmean(run.valid() for run in runs))
        if what == "paper":
            return paper_protocol(runs).split()[0]
        if what == "seconds":
            return times(runs)
        if what == "mr":
            return f"{mean(runs, what):,.0f}"
        return share(mean(runs, what))

    def filled(self, match):
        first, *lines = match[1].strip().splitlines()
        words = first.split()
        if words[0] == "table":
            return self.table(words[1], [line.strip() for line in lines if line.strip()])
        return self.value(words)

    def page(self, form):
        made = re.sub(r"\{\{(.*?)\}\}", self.filled, form, flags=re.S)
        unused = sorted(self.runs.keys() - self.used)
        if unused:
            raise Wrong(f"page.md does not mention {', '.join(unused)}")
        typed = re.search(r"(?<![\w.+-])\.\d{3}\b", re.sub(r"\{\{.*?\}\}", "", form, flags=re.S))
        if typed:
            raise Wrong(f"page.md: a figure typed by hand: {typed[0]}; take it from a run or from published.json")
        return "<!-- Made by tools/make_results.py from results/. -->\n" + made


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit(__doc__)
    try:
        made = Results().page((RESULTS / "page.md").read_text())
    except Wrong as wrong:
        sys.exit(f"error: {wrong}")
    if check:
        if PAGE.read_text() != made:
            sys.exit("error: docs/results.md differs from what tools/make_results.py generates from results/; run it")
        return
    temporary = PAGE.with_suffix(".md.part")
    temporary.write_text(made)
    temporary.replace(PAGE)


if __name__ == "__main__":
    main()
