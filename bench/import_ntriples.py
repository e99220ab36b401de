#!/usr/bin/env python3
"""Time hasa import on a made-up N-Triples file, beside serdi, rapper and rdflib where they are installed.

usage: .venv/bin/python bench/import_ntriples.py HASA [LINES] [FOLDER]

LINES (default 1,000,000) name a fifth as many entities, with heads that follow a power law; a tenth of them are labels,
and one in a million is malformed. hasa import reads the file, says how many lines were bad, and is then killed halfway
through a second import, which must leave nothing. The others, which parse and print or count, read a clean file of at
most 10 million lines (rdflib, which keeps all in memory: a million); hasa import also numbers ids, drops repeated
triples, draws the splits, looks the graph over and writes it. The files (about 120 bytes a line) and the graph lie in
FOLDER (default: a temporary one) and are removed. Printed are wall seconds, processor seconds of all cores, lines a
second of each, and the most memory held.
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import numpy

LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
ENTITY, PROPERTY = "<http://www.example.org/entity/Q%d>", "<http://www.example.org/prop/direct/P%d>"
BAD_EVERY = 1_000_003


def write_lines(path, lines, clean):
    draw, entities = numpy.random.default_rng(1), max(10, lines // 5)
    triple = f"{ENTITY} {PROPERTY} {ENTITY} .\n"
    label = f'{ENTITY} {LABEL} "entity number %d"@en .\n'
    with open(path, "w", buffering=1 << 20) as file:
        for first in range(0, lines, 1_000_000):
            count = min(1_000_000, lines - first)
            heads = (entities * draw.random(count) ** 2).astype(int).tolist()
            properties = draw.integers(500, size=count).tolist()
            tails = draw.integers(entities, size=count).tolist()
            block = [triple % line for line in zip(heads, properties, tails)]
            block[9::10] = [label % (head, head) for head in heads[9::10]]
            for bad in range(first, first + count):
                if not clean and bad % BAD_EVERY == BAD_EVERY - 1:
                    block[bad - first] = f"{ENTITY} oops .\n" % heads[bad - first]
            file.writelines(block)


def timed(command, output=os.devnull):
    """Wall and processor seconds, and the most memory in MiB; None when it fails. `output`: where stdout goes."""
    start = time.monotonic()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        os.execvp(command[0], [str(word) for word in command])
    _, status, used = os.wait4(child, 0)
    if status != 0:
        return None
    return time.monotonic() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def say(name, lines, measured):
    if measured is None:
        print(f"{name:14} failed, or is not installed", flush=True)
        return
    wall, cpu, memory = measured
    print(f"{name:14} {lines:12,} {wall:8.1f} {cpu:8.1f} {lines / wall:9,.0f} {lines / cpu:13,.0f} {memory:7,.0f}", flush=True)


def killed_halfway(command, graph, seconds):
    """What an import that is killed with SIGKILL after so long leaves in place of its graph."""
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    process.wait()
    return sorted(path.name for path in graph.iterdir()) if graph.exists() else []


def main():
    if not 2 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    hasa, lines = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    folder = pathlib.Path(tempfile.mkdtemp(dir=sys.argv[3] if len(sys.argv) > 3 else None))
    try:
        triples, said = folder / "triples.nt", folder / "said.txt"
        write_lines(triples, lines, clean=False)
        print(f"{lines:,} lines, {triples.stat().st_size:,} bytes", flush=True)
        print(f"{'':14} {'lines':>12}   wall s    cpu s   lines/s   lines/cpu s     MiB", flush=True)
        command = [hasa, "import", triples, "--bad-lines", "skip", "--out", folder / "graph"]
        measured = timed(command, said)
        say("hasa import", lines, measured)
        counted = re.search(r"([\d,]+) +malformed lines left out", said.read_text(errors="replace"))
        print(f"  of {lines // BAD_EVERY:,} malformed lines it reports {counted[1] if counted else 'none'}")
        command[-1] = folder / "killed"
        left = killed_halfway(command, folder / "killed", measured[0] / 2 if measured else 1)
        print(f"  killed halfway it leaves {', '.join(left) or 'nothing'}", flush=True)
        triples.unlink()

        for name, most, others in (
            ("serdi", 10_000_000, lambda file: ["serdi", "-i", "ntriples", "-o", "ntriples", file]),
            ("rapper -c", 10_000_000, lambda file: ["rapper", "-q", "-c", "-i", "ntriples", file]),
            ("rdflib", 1_000_000, lambda file: [sys.executable, "-c",
                                                f"import rdflib; rdflib.Graph().parse({str(file)!r}, format='nt')"]),
        ):
            clean, count = folder / f"clean-{min(lines, most)}.nt", min(lines, most)
            if not clean.exists():
                write_lines(clean, count, clean=True)  # the others stop at a malformed line
            command = others(clean)
            say(name, count, timed(command) if shutil.which(str(command[0])) else None)
    finally:
        shutil.rmtree(folder)


main()
