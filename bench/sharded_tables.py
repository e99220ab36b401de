#!/usr/bin/env python3
"""What a process of several takes for a TransE over a made-up graph, with sharded tables and without: its peak memory and
the bytes it exchanges per step. Every process is started as torchrun would start it.

    python bench/sharded_tables.py --program build/hasa --graph graphs/synthetic --processes 1,2,4

The graph: hasa import synthetic:50000:50000 --valid 0.001 --test 0.001 --out graphs/synthetic
"""

import argparse
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def measure(options, size, sharded):
    run = pathlib.Path(tempfile.mkdtemp(prefix="hasa-sharded-")) / "run"
    values = {"graph": options.graph, "model.type": "transe", "model.dim": options.dim, "tables.negatives": options.negatives,
              "tables.sharded": sharded, "optimiser.kind": options.optimiser, "optimiser.lr": 0.01, "train.epochs": 1,
              "train.batch": options.batch, "device": "cpu", "model.init": "uniform", "model.init_scale": 1e-4}
    command = [options.program, "train", "--out", run]
    for name, value in values.items():
        command += ["--set", f"{name}={value}"]
    port, ranks = free_port(), []
    for rank in range(size):
        place = {"RANK": rank, "WORLD_SIZE": size, "LOCAL_RANK": rank, "LOCAL_WORLD_SIZE": size, "MASTER_ADDR": "127.0.0.1",
                 "MASTER_PORT": port, "OMP_NUM_THREADS": 1} if size > 1 else {"OMP_NUM_THREADS": 1}
        ranks.append(subprocess.Popen([str(word) for word in command], stderr=subprocess.DEVNULL,
                                      env={**os.environ, **{name: str(value) for name, value in place.items()}}))
    peaks = []
    for process in ranks:
        _, status, usage = os.wait4(process.pid, 0)
        assert status == 0, f"a process ended with status {status}"
        peaks.append(usage.ru_maxrss / 1024)
    epoch = json.loads((run / "metrics.jsonl").read_text().splitlines()[0])
    shutil.rmtree(run.parent)
    return peaks, epoch


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/hasa")
    parser.add_argument("--graph", required=True)
    parser.add_argument("--dim", type=int, default=400)
    parser.add_argument("--batch", type=int, default=4096)
    parser.add_argument("--negatives", type=int, default=4)
    parser.add_argument("--optimiser", default="adamw")
    parser.add_argument("--processes", default="1,2,4")
    parser.add_argument("--sharded", default="never,always")
    options = parser.parse_args()
    print(f"{'processes':>9} {'sharded':>8} {'peak MiB, by rank':>28} {'exchanged bytes':>16} {'loss':>8} {'MRR':>7} {'s':>6}")
    for size in map(int, options.processes.split(",")):
        for sharded in options.sharded.split(",") if size > 1 else ("never",):
            peaks, epoch = measure(options, size, sharded)
            by_rank = " ".join(f"{peak:.0f}" for peak in peaks)
            valid = epoch.get("valid", {}).get("all", {}).get("mrr", float("nan"))
            print(f"{size:>9} {sharded:>8} {by_rank:>28} {epoch.get('exchanged_bytes', 0):>16,.0f} {epoch['loss']:>8.4f} "
                  f"{valid:>7.4f} {epoch['seconds']:>6.1f}", flush=True)


if __name__ == "__main__":
    main()
