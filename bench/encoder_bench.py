#!/usr/bin/env python3
"""Times hasa's encoder against sentence-transformers on the CPU, with the same texts, in one run.

    bench/encoder_bench.py --model DIR --driver build/encoder_driver [--texts 4000] [--json FILE]

Run it with the environment of the yardsticks. The texts are WN18RR's ("name: description") from HASA_DATA, a
random choice of them by a fixed seed, cut to 40 tokens. Both sides hold their model in memory, are warmed up on
all texts once and then take turns; tokenising counts on both sides, and each sorts its batches as it likes.
sentence-transformers runs in float32 and, for comparison, in bfloat16. Printed are medians; cosines are between
hasa's vectors and those of sentence-transformers in float32.
"""

import argparse
import json
import os
import pathlib
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import torch
from sentence_transformers import SentenceTransformer

MAX_TOKENS = 40


class Driver:
    def __init__(self, program, model, texts_file, threads):
        env = dict(os.environ, OMP_NUM_THREADS=str(threads), MKL_NUM_THREADS=str(threads))
        self.process = subprocess.Popen([program, model, texts_file, str(MAX_TOKENS)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, env=env)
        self.has_bf16 = self.answer().split()[2] == "1"

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit("the driver ended before it answered")
        return line

    def ask(self, request):
        self.process.stdin.write(request + "\n")
        self.process.stdin.flush()
        return self.answer()

    def vectors(self, folder):
        path = os.path.join(folder, "vectors.npy")
        self.ask(f"save {path}")
        return np.load(path)


def wn18rr_texts(count):
    folder = os.environ.get("HASA_DATA", "")
    file = pathlib.Path(folder) / "WN18RR" / "entities.tsv"
    if not file.is_file():
        sys.exit("no texts: set HASA_DATA to the folder of the benchmark graphs")
    texts = []
    for line in file.read_text(encoding="utf-8").split("\n"):
        fields = line.split("\t")
        if len(fields) >= 3:
            texts.append(f"{fields[1]}: {fields[2]}")
    return random.Random(0).sample(texts, min(count, len(texts)))


def cosines(a, b):
    return (a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)


def peer_seconds(peer, texts):
    start = time.perf_counter()
    peer.encode(texts, show_progress_bar=False, convert_to_numpy=True)
    return time.perf_counter() - start


def chip():
    for line in pathlib.Path("/proc/cpuinfo").read_text().split("\n"):
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def measure(args, texts, folder):
    texts_file = os.path.join(folder, "texts.txt")
    pathlib.Path(texts_file).write_text("\n".join(texts) + "\n", encoding="utf-8")
    driver = Driver(args.driver, args.model, texts_file, args.threads)
    peers = {"sentence-transformers fp32": SentenceTransformer(args.model, device="cpu"),
             "sentence-transformers bf16": SentenceTransformer(args.model, device="cpu",
                                                               model_kwargs={"dtype": torch.bfloat16})}
    for peer in peers.values():
        peer.max_seq_length = MAX_TOKENS
    asked = ["fp32", "bf16"]
    expected = peers["sentence-transformers fp32"].encode(texts, show_progress_bar=False)
    peers["sentence-transformers bf16"].encode(texts[:256], show_progress_bar=False)
    least_cosine = {}
    for dtype in asked:
        driver.ask(dtype)
        least_cosine[f"hasa {dtype}"] = float(cosines(driver.vectors(folder), expected).min())

    seconds = {name: [] for name in [f"hasa {dtype}" for dtype in asked] + list(peers)}
    for _ in range(args.repeats):
        for dtype in asked:
            seconds[f"hasa {dtype}"].append(float(driver.ask(dtype)))
        for name, peer in peers.items():
            seconds[name].append(peer_seconds(peer, texts))
    driver.process.stdin.close()
    driver.process.wait()
    return seconds, least_cosine, driver.has_bf16


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--driver", required=True)
    parser.add_argument("--texts", type=int, default=4000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    os.environ["TOKENIZERS_PARALLELISM"] = "true"
    texts = wn18rr_texts(args.texts)
    with tempfile.TemporaryDirectory() as folder:
        seconds, least_cosine, has_bf16 = measure(args, texts, folder)

    median = {name: statistics.median(each) for name, each in seconds.items()}
    base = median["sentence-transformers fp32"]
    print(f"{chip()}, {args.threads} threads, bf16 instructions: {'yes' if has_bf16 else 'no'}; "
          f"{len(texts):,} texts, median of {args.repeats}, load {os.getloadavg()[0]:.1f}")
    for name, value in median.items():
        note = f"  least cosine {least_cosine[name]:.6f}" if name in least_cosine else ""
        print(f"{name:28} {value:7.2f} s  {len(texts) / value:7.0f} texts/s  {base / value:5.2f} x{note}")
    if args.json:
        result = {"chip": chip(), "threads": args.threads, "texts": len(texts), "seconds": seconds,
                  "speed": {name: base / value for name, value in median.items()}, "least_cosine": least_cosine}
        pathlib.Path(args.json).write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
