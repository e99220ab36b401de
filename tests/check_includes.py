#!/usr/bin/env python3
"""Check the include rules of the project: which folder may know which, and who may know torch, CUDA and exit.
Also that every kernel is started by the one function that checks whether it did, and has a reference beside it.

usage: tests/check_includes.py ROOT [--report]

--report also lists sources without a test beside them and files longer than a reader likes; it never fails for those.
"""
import pathlib
import re
import sys

# A folder of src/hasa and those it builds on. It may include these, and whatever they may include.
BUILDS_ON = {
    "base": [],
    "page": ["base"],
    "http": ["base"],
    "kg": ["base"],
    "audit": ["kg", "page"],  # what a score on a graph will mean; nothing is trained
    "text": ["base"],
    "ops": ["base"],
    "dist": ["base"],
    "input": ["kg", "text"],
    "negative": ["input"],
    "nn": ["ops"],  # sees token tensors, never a tokenizer
    "loss": ["ops"],
    "model": ["input", "negative", "nn", "loss", "dist"],
    "eval": ["model", "page"],
    "run": ["eval"],  # files alone: knows no family
    "train": ["eval", "run"],  # knows no family
    "families": ["train"],
    "job": ["families"],
    "serve": ["job", "http"],
    "study": ["job"],
}

# Fuzzers build these with clang and sanitizers, in seconds: folders, or files by the beginning of their path.
TORCH_FREE = ("base/", "http/", "page/", "kg/", "audit/", "text/", "input/", "negative/", "nn/safetensors", "train/prefetch",
              "train/mined_window", "serve/front/")

TORCH = re.compile(r"^(torch|ATen|c10|caffe2)/")
HEAVY_TORCH = re.compile(r"^torch/(torch|nn|all|data|optim|serialize|jit)(/|\.h$)|^torch/csrc/api/")
DISTRIBUTED = re.compile(r"distributed/c10d|^torch/csrc/distributed/|c10d/")
CUDA = re.compile(r"^(cuda|cublas|cudnn|curand|cusparse|cusolver|nccl|nvtx|cub/|thrust/|cooperative_groups|mma\.h)"
                  r"|^(c10|ATen|torch)/(csrc/)?cuda(/|\.h)|^ATen/native/cuda/|^ATen/cudnn/")
TEST_ONLY = re.compile(r"^(gtest|gmock)/|^hasa/base/testing\.h$")

INCLUDE = re.compile(r"^\s*#\s*include\s*([<\"])([^>\"]+)[>\"]")
ENDS_PROGRAM = re.compile(r"(?<![\w.>])(?:std::|::)?(?:exit|_exit|_Exit|quick_exit)\s*\(")
LAUNCH = re.compile(r"<<<|\bcudaLaunchKernel|\bcuLaunchKernel")
CHECKED_LAUNCH = "ops/core/launch.cuh"  # the one launch there is, with its check
TYPE = re.compile(r"^(?:struct|class) (\w+)(?: final)?(?: : [^;{]*)? \{", re.M)  # not in another, not a template's
SOURCES = (".h", ".cpp", ".cu", ".cuh")


def closure():
    allowed = {}
    for folder in BUILDS_ON:  # in order: what a folder builds on comes before it
        allowed[folder] = {folder}
        for below in BUILDS_ON[folder]:
            allowed[folder] |= allowed[below]
    return allowed


def without_comments_and_strings(text):
    """The code alone, line numbers kept."""
    token = re.compile(r"//[^\n]*|/\*.*?\*/|R\"(\w*)\(.*?\)\1\"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)
    return token.sub(lambda match: "\n" * match[0].count("\n") or " ", text)


def check_include(folder, path, target, quoted, root, allowed):
    """What is wrong with an include of src/hasa/<path>, or None."""
    is_test = path.endswith("_test.cpp") or path == "base/testing.h"
    if target.startswith("hasa/"):
        other = target.split("/")[1]
        if not (root / "src" / target).is_file():
            return f"includes {target}, which is not there"
        if other not in BUILDS_ON:
            return f"includes {target}: {other} is not in the table of tests/check_includes.py"
        if other not in allowed[folder]:
            return f"includes {target}: {folder} does not build on {other}"
    elif quoted:
        return f'includes "{target}": write it from src, as "hasa/{folder}/..."'
    if TEST_ONLY.search(target) and not is_test:
        return f"includes {target}: only *_test.cpp may"
    if target.startswith("benchmark/") and not path.endswith("_bench.cpp"):
        return f"includes {target}: only *_bench.cpp may"
    if TORCH.search(target) and path.startswith(TORCH_FREE):
        return f"includes {target}: this part is free of torch"
    if HEAVY_TORCH.search(target):
        return f"includes {target}: torch/types.h and ATen/... are enough, and compile in half the time"
    if DISTRIBUTED.search(target) and folder != "dist":
        return f"includes {target}: only dist knows c10d"
    if CUDA.search(target) and folder != "ops":
        return f"includes {target}: only ops knows CUDA"
    return None


def check_file(file, root, allowed):
    path = file.relative_to(root / "src" / "hasa").as_posix()
    folder = path.split("/")[0]
    if folder not in BUILDS_ON:
        return [f"src/hasa/{path}: the folder {folder} is not in the table of tests/check_includes.py"]
    wrong = []
    if file.suffix in (".cu", ".cuh") and folder != "ops":
        wrong.append(f"src/hasa/{path}: CUDA kernels live in ops")
    reference = re.sub(r"(_forward|_backward)?\.cu$", "_ref.cpp", file.name)
    if file.suffix == ".cu" and not file.with_name(reference).is_file():
        wrong.append(f"src/hasa/{path}: has no {reference} beside it, the obvious loop that its test compares it with")
    text = file.read_text()
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        fault = match and check_include(folder, path, match[2], match[1] == '"', root, allowed)
        if fault:
            wrong.append(f"src/hasa/{path}:{number}: {fault}")
    for number, line in enumerate(without_comments_and_strings(text).splitlines(), 1):
        if ENDS_PROGRAM.search(line) and not path.endswith("_test.cpp"):
            wrong.append(f"src/hasa/{path}:{number}: ends the program; throw hasa::Error, only apps exits")
        if LAUNCH.search(line) and path != CHECKED_LAUNCH:
            wrong.append(f"src/hasa/{path}:{number}: starts a kernel unchecked; use launch() of {CHECKED_LAUNCH}")
        if re.search(r"\bDISABLED_\w", line):
            wrong.append(f"src/hasa/{path}:{number}: a disabled test; mend it or take it out")
    return wrong


def check_types(files, root):
    """A type that two headers define differently is one type to the linker: it keeps one of the two functions made of
    each template, and the other file's memory is read by the wrong layout."""
    defined = {}
    for file in files:
        if file.suffix in (".h", ".cuh") and not file.stem.endswith("_for_tests"):
            for name in TYPE.findall(without_comments_and_strings(file.read_text())):
                defined.setdefault(name, []).append(file.relative_to(root).as_posix())
    return [f"{places[1]}: defines {name}, as {places[0]} does; types of namespace hasa need names of their own"
            for name, places in sorted(defined.items()) if len(places) > 1]


def report(files, root):
    for file in files:
        path = file.relative_to(root)
        lines = file.read_text().count("\n")
        most = 150 if file.suffix == ".h" else 300
        if lines > most and "_test" not in file.name:
            print(f"{path}: {lines} lines, above {most}")
        if file.suffix == ".cpp" and not re.search(r"_(test|bench|ref|cpu)$", file.stem):
            if not file.with_name(file.stem + "_test.cpp").is_file():
                print(f"{path}: no {file.stem}_test.cpp beside it")


def main():
    words = [word for word in sys.argv[1:] if word != "--report"]
    if len(words) != 1:
        sys.exit(__doc__)
    root = pathlib.Path(words[0]).resolve()
    files = sorted(file for file in (root / "src" / "hasa").rglob("*") if file.suffix in SOURCES)
    if not files:
        sys.exit(f"error: {root} holds no src/hasa")
    allowed = closure()
    wrong = [fault for file in files for fault in check_file(file, root, allowed)] + check_types(files, root)
    for fault in wrong:
        print(fault)
    if "--report" in sys.argv:
        report(files, root)
    print(f"{len(files)} files, {len(wrong)} against the rules")
    sys.exit(1 if wrong else 0)


main()
