#!/usr/bin/env python3
"""clang-format and clang-tidy over the project's own files, in parallel; what was clean is not read again.

usage: tools/lint.py [-j N] BUILD      check; BUILD holds compile_commands.json
       tools/lint.py --format          rewrite the files as clang-format has them

A file counts as clean as long as it, the project's headers it includes, its command line, the settings and
clang-tidy itself are what they were. That is remembered in BUILD/lint.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("src", "apps", "tests", "fuzz", "bench", "python", "cmake")
# Tables a script writes are long and dull to read for a person and for a linter.
GENERATED = ("_tables.cpp",)


def tool(name):
    """The pinned binary inside its wheel, which works wherever the clone is moved."""
    found = sorted(ROOT.glob(f".venv/lib/python3*/site-packages/{name.replace('-', '_')}/data/bin/{name}"))
    if not found:
        sys.exit(f"error: {name} is not in .venv: run tools/setup.sh lint")
    return str(found[0])


def own_files(*suffixes):
    return sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*")
                  if path.suffix in suffixes and not path.name.endswith(GENERATED))


def check_format(rewrite):
    files = own_files(".h", ".cpp", ".cu", ".cuh")
    mode = ["-i"] if rewrite else ["--dry-run", "--Werror"]
    done = subprocess.run([tool("clang-format"), "--style=file", *mode, *files], capture_output=True, text=True, cwd=ROOT)
    wrong = sorted(set(re.findall(r"^(\S+?):\d+:\d+: error: code should be clang-formatted", done.stderr, re.M)))
    for path in wrong:
        print(f"{os.path.relpath(path, ROOT)}: not as clang-format has it; make format mends it")
    if done.returncode != 0 and not wrong:
        print(done.stderr)
    return done.returncode == 0, len(files)


def tidy_arguments(entry):
    """The compiler's arguments without g++'s precompiled header, which clang cannot read."""
    words = shlex.split(entry["command"])
    while words and not re.search(r"(g\+\+|c\+\+|clang\+\+)[\d.-]*$", words[0]):
        words.pop(0)  # ccache and its environment
    arguments, skip = [], 0
    for index, word in enumerate(words):
        if skip:
            skip -= 1
        elif word in ("-o", "-c"):
            skip = 1
        elif word == "-include" and "cmake_pch" in words[index + 1]:
            skip = 1
        elif word != "-Winvalid-pch" and not word.startswith("-fsanitize"):
            arguments.append(word)
    return arguments[1:] + ["-Wno-unknown-warning-option"]


def project_headers(path, seen):
    """The project's headers that the file includes, directly or not."""
    for target in re.findall(r'^\s*#\s*include\s*"([^"]+)"', path.read_text(), re.M):
        header = ROOT / "src" / target
        if not header.is_file():
            header = path.parent / target
        if header.is_file() and header not in seen:
            seen.add(header)
            project_headers(header, seen)
    return seen


def fingerprint(path, arguments, settings):
    digest = hashlib.sha256(settings)
    digest.update("\0".join(arguments).encode())
    for file in [path, *sorted(project_headers(path, set()))]:
        digest.update(file.read_bytes())
    return digest.hexdigest()


def tidy(path, arguments, mark):
    """What clang-tidy says of one file, empty when it is content."""
    done = subprocess.run([tool("clang-tidy"), "--quiet", str(path), "--", *arguments], capture_output=True, text=True, cwd=ROOT)
    if done.returncode == 0:
        mark.touch()
        return ""
    said = done.stdout.replace(f"{ROOT}/", "")
    return said or done.stderr


def check_tidy(build, jobs, only):
    memory = build / "lint"
    memory.mkdir(exist_ok=True)
    settings = (ROOT / ".clang-tidy").read_bytes() + (ROOT / "tools/requirements/lint.txt").read_bytes()
    own = set(own_files(".cpp"))
    work, count, used = [], 0, set()
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["file"])
        if path not in own or (only and not any(word in str(path) for word in only)):
            continue
        count += 1
        arguments = tidy_arguments(entry)
        mark = memory / fingerprint(path, arguments, settings)
        used.add(mark.name)
        if not mark.exists():
            work.append((path, arguments, mark))
    said = {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        pending = {pool.submit(tidy, *item): item[0] for item in work}
        for number, future in enumerate(concurrent.futures.as_completed(pending), 1):
            said[pending[future]] = future.result()
            if future.result():
                print(future.result(), flush=True)
            if sys.stderr.isatty():
                print(f"\rclang-tidy {number}/{len(work)}", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty() and work:
        print(file=sys.stderr)
    if not only:
        for old in memory.iterdir():
            if old.name not in used:
                old.unlink()
    return sum(bool(text) for text in said.values()), count, len(work)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-j", type=int, default=os.cpu_count())
    parser.add_argument("--format", action="store_true")
    parser.add_argument("--only", action="append", default=[], help="clang-tidy only files whose path contains this")
    parser.add_argument("build", nargs="?", type=pathlib.Path)
    options = parser.parse_args()
    if options.format:
        good, files = check_format(rewrite=True)
        sys.exit(not good)
    if options.build is None:
        parser.error("BUILD, the folder of compile_commands.json, is missing")
    start = time.monotonic()
    formatted, files = check_format(rewrite=False)
    bad, sources, read = check_tidy(options.build.resolve(), options.j, options.only)
    print(f"lint: {files} files formatted {'well' if formatted else 'badly'}, {sources} sources ({read} of them new or changed), "
          f"{bad} with findings, {time.monotonic() - start:.0f} s")
    sys.exit(not formatted or bad > 0)


main()
