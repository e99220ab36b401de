#!/usr/bin/env python3
"""Time hasa import on a made-up N-Triples file, beside serdi, rapper and rdflib where they are installed.

usage: bench/import_ntriples.py HASA [LINES] [FOLDER]

LINES (default 1,000,000) name a fifth as many entities, with heads that follow a power law; a tenth of them are labels,
and one in a million is malformed. The others parse and print or count; hasa import also numbers ids, drops repeated
triples, draws the splits, looks the graph over and writes it. The file (about 120 bytes a line) and the graph lie in
FOLDER (default: a temporary one) and are removed. Printed are wall seconds, processor seconds of all cores, lines a
second of each, and the most memory held.
"""
import os
import pathlib
import random
import shutil
import sys
import tempfile
import time

LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
ENTITY, PROPERTY = "http://www.example.org/entity/Q", "http://www.example.org/prop/direct/P"


def write_lines(path, lines, clean):
    draw, entities = random.Random(1), max(10, lines // 5)
    with open(path, "w", buffering=1 << 20) as file:
        for i in range(lines):
            head = int(entities * draw.random() ** 2)
            if i % 1_000_003 == 1_000_002 and not clean:
                file.write(f"<{ENTITY}{head}> oops .\n")
            elif i % 10 == 9:
                file.write(f'<{ENTITY}{head}> <{LABEL}> "entity number {head}"@en .\n')
            else:
                file.write(f"<{ENTITY}{head}> <{PROPERTY}{draw.randrange(500)}> <{ENTITY}{draw.randrange(entities)}> .\n")


def timed(command):
    """Wall and processor seconds, and the most memory in MiB; None when it fails."""
    start = time.monotonic()
    child = os.fork()
    if child == 0:
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        os.execvp(command[0], [str(word) for word in command])
    _, status, used = os.wait4(child, 0)
    if status != 0:
        return None
    return time.monotonic() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main():
    if not 2 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    lines = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    folder = pathlib.Path(tempfile.mkdtemp(dir=sys.argv[3] if len(sys.argv) > 3 else None))
    try:
        triples, clean = folder / "triples.nt", folder / "clean.nt"
        write_lines(triples, lines, clean=False)
        write_lines(clean, lines, clean=True)  # the others stop at a malformed line
        count = f"import rdflib; rdflib.Graph().parse({str(clean)!r}, format='nt')"
        commands = {
            "hasa import": [sys.argv[1], "import", triples, "--bad-lines", "skip", "--out", folder / "graph"],
            "serdi": ["serdi", "-i", "ntriples", "-o", "ntriples", clean],
            "rapper -c": ["rapper", "-q", "-c", "-i", "ntriples", clean],
            "rdflib": [sys.executable, "-c", count],
        }
        print(f"{lines:,} lines, {triples.stat().st_size:,} bytes\n{'':14}   wall s    cpu s   lines/s   lines/cpu s   MiB")
        for name, command in commands.items():
            if shutil.which(str(command[0])) is None:
                print(f"{name:14} not installed")
                continue
            measured = timed(command)
            if measured is None:
                print(f"{name:14} failed, or is not installed")
                continue
            wall, cpu, memory = measured
            print(f"{name:14} {wall:8.1f} {cpu:8.1f} {lines / wall:9,.0f} {lines / cpu:13,.0f} {memory:5,.0f}", flush=True)
    finally:
        shutil.rmtree(folder)


main()
