#!/usr/bin/env python3
"""Rewrite requirements files so that every `name==version` carries the hashes of its wheels.

usage: tools/pin_requirements.py FILE...

To move to another version, change the number in the file and run this. Only wheels that a supported
machine can install are listed: Linux with glibc on x86_64, CPython 3.10 to 3.14. Comments are kept.
"""
import html.parser
import os
import re
import sys
import urllib.request

INDEX = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple").rstrip("/")
PYTHONS = ("cp310", "cp311", "cp312", "cp313", "cp314", "py3", "py2.py3")


class Links(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        href = dict(attributes).get("href", "")
        if tag == "a" and "#sha256=" in href:
            path, digest = href.split("#sha256=")
            self.found.append((path.rsplit("/", 1)[-1], digest))


def usable(wheel):
    """Whether the wheel's name says that it runs on a supported machine."""
    stem = wheel.removesuffix(".whl").split("-")
    python, abi, platform = stem[-3], stem[-2], stem[-1]
    if platform != "any" and not re.search(r"(manylinux|linux)\w*_x86_64", platform):
        return False
    if abi == "abi3":
        return python.startswith("cp3")
    return python in PYTHONS and not abi.endswith("t")


def hashes(name, version):
    request = urllib.request.Request(f"{INDEX}/{name}/", headers={"Accept": "text/html"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        links = Links()
        links.feed(answer.read().decode())
    stem = re.compile(re.sub(r"[-_.]+", "[-_.]+", re.escape(name).replace(r"\-", "-")) + "-" + re.escape(version) + "-", re.I)
    found = sorted({digest for file, digest in links.found if file.endswith(".whl") and stem.match(file) and usable(file)})
    if not found:
        sys.exit(f"error: {name}=={version} has no wheel for Linux on x86_64")
    return found


def pin(path):
    with open(path) as file:
        lines = [line.rstrip(" \\\n") for line in file if not line.lstrip().startswith("--hash")]
    out = []
    for line in lines:
        match = re.match(r"([A-Za-z0-9_.-]+)==([^\s;]+)(?: ; .+)?$", line)  # a marker may follow
        if not match:
            out.append(line)
            continue
        out.append(" \\\n    ".join([line] + [f"--hash=sha256:{digest}" for digest in hashes(*match.groups())]))
    with open(path, "w") as file:
        file.write("\n".join(out) + "\n")


if len(sys.argv) < 2:
    sys.exit(__doc__)
for name in sys.argv[1:]:
    pin(name)
