#!/usr/bin/env python3
"""Run the fuzzers on their seeds for a while, and say how much they ran and saw.

usage: tools/fuzz.py --build FOLDER --seconds N [--seed N] [--corpus FOLDER] [--each-reader | --reader NAME...] [FUZZER...]

Seeds are read from fuzz/seeds/NAME and never written. What is found goes into --corpus (by default a folder
that is forgotten), and an input that crashes into FOLDER/crashes. All fuzzers of the build run, one after the
other, unless some are named; with --each-reader, a fuzzer of several readers runs once for each of them, with --reader
for the named ones. Ends with 1 when one of them found something. The same --seed draws the same inputs, as far as time
allows.
"""
import argparse
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# What the first byte of an input chooses, in its order.
READERS = {
    "formats_fuzz": ["N-Triples", "Turtle", "JSON Lines", "KGTK", "CSV", "packed", "N-Triples in pieces", "by looking"],
    "folders_fuzz": ["OpenKE", "LibKGE", "PyKEEN", "split folder"],
}


def run(program, seconds, seed, corpus, crashes, reader=None):
    """One run; `seed`: 0 for another one each time; `reader`: the number of the one among the fuzzer's readers that reads every input."""
    name, environment = program.name, dict(os.environ)
    if reader is not None:
        name += f" ({READERS[program.name][reader]})"
        environment["HASA_FUZZ_READER"] = str(reader)
    stem = program.name.removesuffix("_fuzz")
    seeds = ROOT / "fuzz" / "seeds" / stem
    corpus.mkdir(parents=True, exist_ok=True)
    crashes.mkdir(parents=True, exist_ok=True)
    command = [program, f"-max_total_time={seconds}", f"-seed={seed}", "-timeout=60", "-rss_limit_mb=4096", "-print_final_stats=1",
               f"-artifact_prefix={crashes}/{stem}-", corpus] + ([seeds] if seeds.is_dir() else [])
    dictionary = ROOT / "fuzz" / f"{stem}.dict"
    if dictionary.is_file():
        command.insert(1, f"-dict={dictionary}")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, errors="replace",
                          env=environment)
    if done.returncode != 0:
        print(done.stderr[-6000:], f"{name} failed; its input lies in {crashes}", sep="\n")
        return False
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    executions = re.search(r"number_of_executed_units:\s*(\d+)", done.stderr)
    covered = re.findall(r"cov: (\d+) ft: (\d+)", done.stderr) or [("?", "?")]
    print(f"{name}: {int(executions[1]) if executions else 0:,} executions in {seconds} s ({processor:.0f} s of CPU), "
          f"{covered[-1][0]} edges and {covered[-1][1]} features covered, nothing found", flush=True)
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--corpus", type=pathlib.Path)
    parser.add_argument("--each-reader", action="store_true")
    parser.add_argument("--reader", action="append", choices=sum(READERS.values(), []), metavar="NAME")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    programs = sorted(path for path in options.build.glob("*_fuzz") if path.is_file())
    if options.names:
        programs = [options.build / name for name in options.names]
    if not programs or not all(program.is_file() for program in programs):
        sys.exit(f"error: no such fuzzer in {options.build}; build it with: make fuzz")
    good = True
    with tempfile.TemporaryDirectory() as forgotten:
        for program in programs:
            corpus = (options.corpus or pathlib.Path(forgotten)) / program.name
            wanted = options.reader or (READERS.get(program.name, []) if options.each_reader else [])
            readers = [i for i, name in enumerate(READERS.get(program.name, [])) if name in wanted]
            for reader in readers or ([] if options.reader else [None]):
                good &= run(program, options.seconds, options.seed, corpus, options.build / "crashes", reader)
    sys.exit(not good)


main()
