#!/usr/bin/env python3
"""Whether sentence-transformers makes of entities' texts the vectors that hasa has for them.

    .venv-yardstick/bin/python tests/check_sentence_transformers.py [--run RUN --graph GRAPH] [--program build/hasa]

RUN is a run of model.type=text without text.context; without it tiny models of every form are trained first. The run is
exported by `hasa export`, once as a folder for sentence-transformers and once as vectors, and every entity's cosine
between the two must be above .9999. sentence-transformers is no part of `make test`: tools/setup.sh --yardstick
installs it, and without it this check says so and ends with code 3.
"""

import argparse
import pathlib
import sys
import tempfile

try:
    import sentence_transformers
    import transformers
except ImportError as problem:
    print(f"not checked: {problem}; tools/setup.sh --yardstick makes an environment that has it")
    sys.exit(3)
import numpy as np

from check_transformers import run_program
from tiny_model import write_small_benchmark, write_tiny_bert, write_tiny_mpnet

LEAST_COSINE = 0.9999
# query, pooling, score, language model
FORMS = [("joint", "mean", "cosine", "bert"), ("gru", "mean", "cosine", "bert"), ("gru", "cls", "dot", "bert"),
         ("joint", "pooler", "cosine", "bert"), ("joint", "mean", "cosine", "mpnet")]


def train_tiny(program, folder, query, pool, score, model):
    out = folder / f"{query}-{pool}-{score}-{model}"
    run_program(program, "train", "--out", out, "--set", "model.type=text", "--set", f"graph={folder}/graph", "--set",
                "device=cpu", "--set", f"language_model.path={folder}/{model}", "--set", f"language_model.pool={pool}",
                "--set", f"model.query={query}", "--set", f"model.score={score}", "--set", "model.dim=24", "--set",
                "train.epochs=2", "--set", "optimiser.language_model_lr=1e-3")
    return out


def texts_of(program, graph, folder, ids):
    """The words of each entity, as "{name}: {description}" puts them."""
    run_program(program, "export", graph, "--format", "benchmark", "--out", folder)
    words = {}
    for line in (folder / "entities.tsv").read_text().splitlines():
        entity, name, description = (line.split("\t") + ["", ""])[:3]
        words[entity] = f"{name}: {description}" if description else name
    return [words[entity] for entity in ids]


def check(program, run, graph):
    with tempfile.TemporaryDirectory(prefix="hasa-export-") as folder:
        folder = pathlib.Path(folder)
        run_program(program, "export", run, "--graph", graph, "--format", "npy", "--out", folder / "vectors")
        run_program(program, "export", run, "--format", "sentence-transformers", "--out", folder / "encoder")
        ours = np.load(folder / "vectors/entities.npy")
        texts = texts_of(program, graph, folder / "graph", (folder / "vectors/entities.txt").read_text().splitlines())
        model = sentence_transformers.SentenceTransformer(str(folder / "encoder"), device="cpu")
        theirs = model.encode(texts, convert_to_numpy=True, show_progress_bar=False)
        plain, notes = transformers.AutoModel.from_pretrained(folder / "encoder", output_loading_info=True)
        strange = sorted(notes["missing_keys"]) + sorted(notes["unexpected_keys"])
    if ours.shape != theirs.shape or strange:
        print(f"{run}: shapes {ours.shape} and {theirs.shape}; transformers does not know or misses {strange}")
        return False
    cosine = (ours * theirs).sum(1) / np.linalg.norm(ours, axis=1) / np.linalg.norm(theirs, axis=1)
    print(f"{run}  {len(texts)} entities, least cosine {cosine.min():.7f}, largest difference {np.abs(ours - theirs).max():.1e}")
    return bool(cosine.min() > LEAST_COSINE)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    root = pathlib.Path(__file__).resolve().parent.parent
    parser.add_argument("--run", type=pathlib.Path, help="a run of model.type=text without text.context")
    parser.add_argument("--graph", type=pathlib.Path, help="its graph")
    parser.add_argument("--program", default=str(root / "build/hasa"))
    options = parser.parse_args()
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    print(f"sentence-transformers {sentence_transformers.__version__}, transformers {transformers.__version__}")
    with tempfile.TemporaryDirectory(prefix="hasa-sentence-") as folder:
        folder = pathlib.Path(folder)
        if options.run:
            pairs = [(options.run, options.graph)]
        else:
            write_tiny_bert(folder / "bert")
            write_tiny_mpnet(folder / "mpnet")
            write_small_benchmark(folder / "bench")
            run_program(options.program, "import", folder / "bench", "--out", folder / "graph")
            pairs = [(train_tiny(options.program, folder, *form), folder / "graph") for form in FORMS]
        good = all([check(options.program, run, graph) for run, graph in pairs])
    print(f"every cosine above {LEAST_COSINE}" if good else f"NOT every cosine above {LEAST_COSINE}")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
