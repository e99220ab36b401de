"""How near the defaults come to a search, on graphs such as a first user brings.

    python bench/small_graphs.py --work /tmp/small            ten graphs of 300 triples, 20 trials each; takes minutes

Each graph is a random connected part of WordNet (wordnet_parts.py, a seed each), a tenth of it held out for
validation and a tenth for testing. The defaults are configs/own-graph_frozen-minilm.yaml, the search is
configs/small-graph_search.yaml; both choose by the validation split, and what is compared is MRR on the test split.
A part that was done before is not done again.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

from wordnet_parts import grow, read_wordnet, write

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("HASA_PROGRAM", str(ROOT / "build/hasa"))


def hasa(*arguments):
    done = subprocess.run([PROGRAM, "--quiet", "--threads", "1", *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"hasa {' '.join(map(str, arguments))}\n{done.stderr}")
    return done.stdout


def test_mrr(run):
    return json.loads(hasa("eval", run, "--json"))["all"]["mrr"]


def import_part(folder, wordnet, seed, triples):
    if not (folder / "graph").exists():
        texts, links = wordnet()
        write(folder, texts, grow(links, triples, seed))
        hasa("import", folder / "triples.tsv", "--text", folder / "texts.tsv", "--valid", 0.1, "--test", 0.1,
             "--out", folder / "graph")
    return folder / "graph"


def by_defaults(folder, graph):
    hasa("train", "--config", ROOT / "configs/own-graph_frozen-minilm.yaml", "--set", f"graph={graph}",
         "--set", "train.checkpoint_every=1000", "--resume", "--out", folder / "defaults")
    return test_mrr(folder / "defaults")


def by_search(folder, graph, trials):
    said = hasa("search", "--config", ROOT / "configs/small-graph_search.yaml", "--set", f"graph={graph}",
                "--trials", trials, "--out", folder / "search")
    return test_mrr(re.search(r"its run in (\S+)", said).group(1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=pathlib.Path, required=True, help="folder for graphs and runs")
    parser.add_argument("--seeds", type=int, nargs="+", default=list(range(1, 11)))
    parser.add_argument("--triples", type=int, default=300)
    parser.add_argument("--trials", type=int, default=20)
    options = parser.parse_args()
    held = []

    def wordnet():
        held.extend(() if held else [read_wordnet()])
        return held[0]

    ratios = []
    print(f"{'seed':>4}{'defaults':>10}{'search':>10}{'ratio':>8}", flush=True)
    for seed in options.seeds:
        folder = options.work / f"seed-{seed}"
        graph = import_part(folder, wordnet, seed, options.triples)
        defaults, searched = by_defaults(folder, graph), by_search(folder, graph, options.trials)
        ratios.append(defaults / searched)
        print(f"{seed:>4}{defaults:>10.3f}{searched:>10.3f}{ratios[-1]:>8.2f}", flush=True)
    print(f"mean ratio {sum(ratios) / len(ratios):.3f} over {len(ratios)} graphs")


if __name__ == "__main__":
    main()
