#!/usr/bin/env python3
"""Times the steps of one, two and four processes on this machine, against the formula of docs/scale.md.

    HASA_PROGRAM=build/hasa .venv/bin/python bench/dist_steps.py [FORM ...] [--rounds N] [--sizes 1 2 4]

Each process has one thread. Printed for each step: wall time, and the CPU time of a process (the greatest), which other
programs on the machine disturb little. Both are differences between a longer and a shorter run, medians over the
rounds, so that neither start nor end counts. From one and two processes' CPU times follow what is divided (S) and what
each process does in full (W); four are then foretold.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests"))
from cli_test import MODEL, PROGRAM, hasa  # noqa: E402
from dist_test import free_port  # noqa: E402
from tiny_model import write_small_benchmark  # noqa: E402

TEXT = {"language_model.path": MODEL, "text.max_tokens": 24, "train.batch": 64}
FORMS = {  # options, and the epochs of the shorter and the longer run
    "joint": ({"model.type": "text", "model.query": "joint", "text.own_tokens": 16, **TEXT}, (1, 3)),
    "hasa+": ({"model.type": "text", "model.query": "gru", "model.dim": 256, "loss.kind": "hasa", "loss.tail_to_query": "yes", "loss.beta": 1,
               "loss.tau": 0.001, "negatives.random": 3, **TEXT}, (1, 3)),
    "frozen": ({"language_model.path": MODEL, "model.dim": 256, "train.batch": 512}, (2, 12)),
    "rotate": ({"model.type": "rotate", "model.dim": 512, "tables.negatives": 256, "train.batch": 512, "optimiser.lr": 0.01}, (2, 12)),
    "complex": ({"model.type": "complex", "model.dim": 512, "tables.training": "one_vs_all", "train.batch": 512}, (2, 12)),
}


def run(arguments, size, environment):
    """Wall seconds, and the greatest CPU seconds of a process."""
    port, started, processes = free_port(), time.monotonic(), []
    for rank in range(size):
        variables = {**os.environ, **environment, "OMP_NUM_THREADS": "1", "RANK": str(rank), "WORLD_SIZE": str(size), "LOCAL_RANK": str(rank),
                     "LOCAL_WORLD_SIZE": str(size), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "HASA_RANK_TIMEOUT": "300"}
        processes.append(subprocess.Popen([PROGRAM, *map(str, arguments)], env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
    seconds = 0.0
    for process in processes:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise SystemExit(f"failed: {' '.join(map(str, arguments))}")
        seconds = max(seconds, usage.ru_utime + usage.ru_stime)
    return time.monotonic() - started, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("forms", nargs="*", default=list(FORMS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1, 2, 4])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hasa-steps-") as name:
        folder = pathlib.Path(name)
        write_small_benchmark(folder / "bench", entities=400, triples=532)  # 512 of them to train on: 1,024 examples
        assert hasa("import", folder / "bench", "--out", folder / "graph").returncode == 0
        print(f"{'form':8} {'n':>2} {'wall ms':>9} {'CPU ms':>9} {'foretold':>9} {'exchanged':>12}", flush=True)
        for form in options.forms:
            settings, epochs = FORMS[form]
            steps = (epochs[1] - epochs[0]) * -(-1024 // settings["train.batch"])
            cpu = {}
            for size in options.sizes:
                rounds = []
                for attempt in range(options.rounds):
                    taken = []
                    for count in epochs:
                        out = folder / f"{form} {size} {attempt} {count}"
                        sets = {"graph": folder / "graph", "device": "cpu", "train.epochs": count, "train.validate_every": 1000, **settings}
                        taken.append(run(["train", "--out", out, *(word for name, value in sets.items() for word in ("--set", f"{name}={value}"))], size, {}))
                    rounds.append([(long - short) / steps * 1000 for short, long in zip(*taken)])
                wall, cpu[size] = (statistics.median(each) for each in zip(*rounds))
                exchanged = json.loads((out / "metrics.jsonl").read_text().splitlines()[-1]).get("exchanged_bytes", 0)
                foretold = ""
                if size > 2 and {1, 2} <= cpu.keys():
                    divided = 2 * (cpu[1] - cpu[2])
                    foretold = f"{cpu[1] - divided + divided / size:.1f}"
                print(f"{form:8} {size:2} {wall:9.1f} {cpu[size]:9.1f} {foretold:>9} {exchanged:12,.0f}", flush=True)


if __name__ == "__main__":
    main()
