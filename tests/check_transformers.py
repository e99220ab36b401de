#!/usr/bin/env python3
"""Whether transformers opens the best model of a run and reads texts as hasa does.

    .venv-yardstick/bin/python tests/check_transformers.py [--run RUN] [--program build/hasa]

RUN is a run of model.type=text; without it a tiny model is trained first, with joint queries and with a GRU. Compared
are the vectors of some texts, pooled in each of the three ways, and the token ids. transformers is no part of
`make test`: tools/setup.sh --yardstick installs it, and without it this check says so and ends with code 3.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

try:
    import transformers
    import torch
except ImportError as problem:
    print(f"not checked: {problem}; tools/setup.sh --yardstick makes an environment that has it")
    sys.exit(3)
import numpy as np

from tiny_model import write_small_benchmark, write_tiny_bert

TEXTS = ["thing 7: a red and quiet one", "a", "is part of", "thing 12: an odd and old one; likes thing 3; knows thing 29"]
MOST_APART = 1e-4


def run_program(program, *arguments, stdin=""):
    done = subprocess.run([program, "-q", *map(str, arguments)], input=stdin, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"hasa {arguments[0]} failed: {done.stderr}")
    return done.stdout


def train_tiny(program, folder, query):
    if not (folder / "lm").exists():
        write_tiny_bert(folder / "lm")
        write_small_benchmark(folder / "bench")
        run_program(program, "import", folder / "bench", "--out", folder / "graph")
        (folder / "c.yaml").write_text(f"graph: {folder}/graph\ndevice: cpu\nlanguage_model:\n  path: {folder}/lm\nmodel:\n  type: text\n")
    run_program(program, "train", "--config", folder / "c.yaml", "--out", folder / query, "--set", f"model.query={query}",
                "--set", "train.epochs=2", "--set", "optimiser.language_model_lr=1e-3")
    return folder / query


def pooled_by_transformers(best):
    """Pooling -> [texts, hidden], and the ids of the texts."""
    model, notes = transformers.AutoModel.from_pretrained(best, output_loading_info=True)
    missing = sorted(notes["missing_keys"])
    foreign = sorted(key for key in notes["unexpected_keys"] if not key.startswith("hasa."))
    if missing or foreign:
        sys.exit(f"{best}: transformers misses {missing} and does not know {foreign}")
    tokenizer = transformers.AutoTokenizer.from_pretrained(best)
    batch = tokenizer(TEXTS, padding=True, return_tensors="pt")
    with torch.no_grad():
        output = model.eval()(**batch)
    there = batch["attention_mask"].unsqueeze(-1)
    pooled = {"cls": output.last_hidden_state[:, 0], "mean": (output.last_hidden_state * there).sum(1) / there.sum(1)}
    if output.get("pooler_output") is not None:
        pooled["pooler"] = output.pooler_output
    ids = [row[mask.bool()].tolist() for row, mask in zip(batch["input_ids"], batch["attention_mask"])]
    return {name: values.numpy() for name, values in pooled.items()}, ids


def check(program, run):
    best = run / "best"
    theirs, ids = pooled_by_transformers(best)
    lines = "".join(text + "\n" for text in TEXTS)
    ours = [list(map(int, line.split())) for line in run_program(program, "tokenize", "--model", best, stdin=lines).splitlines()]
    if ours != ids:
        sys.exit(f"{best}: token ids differ: {ours} and {ids}")
    good = True
    for pool, values in theirs.items():
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "x.npy"
            run_program(program, "encode", "--model", best, "--pool", pool, "--dtype", "fp32", "--out", out, stdin=lines)
            apart = float(np.abs(np.load(out) - values).max())
        print(f"{best}  {pool:6}  largest difference {apart:.1e} over {values.shape[0]} texts, values up to {np.abs(values).max():.2f}")
        good = good and apart <= MOST_APART
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    root = pathlib.Path(__file__).resolve().parent.parent
    parser.add_argument("--run", type=pathlib.Path, help="a run of model.type=text")
    parser.add_argument("--program", default=str(root / "build/hasa"))
    options = parser.parse_args()
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    print(f"transformers {transformers.__version__}, torch {torch.__version__}")
    with tempfile.TemporaryDirectory(prefix="hasa-transformers-") as folder:
        folder = pathlib.Path(folder)
        runs = [options.run] if options.run else [train_tiny(options.program, folder, query) for query in ("joint", "gru")]
        good = all([check(options.program, run) for run in runs])
    print("equal within 1e-4" if good else "NOT equal within 1e-4")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
