#!/usr/bin/env python3
"""Whether a server holds to its own description, whatever schemathesis makes of it.

    python3 -m venv .venv-schemathesis && .venv-schemathesis/bin/pip install schemathesis==4.32.5 numpy
    .venv-schemathesis/bin/python tests/check_schemathesis.py [--run RUN] [--program build/hasa] [--seconds 300] [--seed 1]

Starts `hasa serve` on a copy of RUN, or of a tiny run trained first, and lets schemathesis 4 loose on its
/openapi.json: no answer may be a 5xx, and every status, content type and body must be one that is described. Three of
four generated questions are given entities and relations that exist, so that they reach the model. schemathesis is no
part of `make test`; without it this check says so and ends with code 3.
"""

import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile

try:
    import schemathesis
except ImportError as problem:
    print(f"not checked: {problem}; the head of {__file__} says how to get it")
    sys.exit(3)

CHECKS = ["not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance"]
ENTITIES, RELATIONS = "HASA_CHECK_ENTITIES", "HASA_CHECK_RELATIONS"  # how the program below and its hooks agree


def with_names(body, draw):
    """`body` with what it names replaced by what there is."""
    if isinstance(body, list):
        return [with_names(each, draw) for each in body]
    if not isinstance(body, dict):
        return body
    named = {"head": ENTITIES, "tail": ENTITIES, "answer": ENTITIES, "relation": RELATIONS}
    return {key: draw.choice(os.environ[named[key]].split("\n")) if key in named and isinstance(value, str) else with_names(value, draw)
            for key, value in body.items()}


if ENTITIES in os.environ:  # schemathesis reads this file for its hooks

    @schemathesis.hook
    def map_body(context, body):
        draw = random.Random(repr(body))
        return body if draw.random() < 0.25 else with_names(body, draw)


def train_tiny(program, folder):
    from tiny_model import write_small_benchmark, write_tiny_bert

    def run_program(*arguments):
        subprocess.run([program, "-q", *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)

    write_small_benchmark(folder / "benchmark")
    write_tiny_bert(folder / "bert")
    run_program("import", folder / "benchmark", "--out", folder / "graph")
    options = ("device=cpu", f"graph={folder}/graph", "model.type=frozen", f"language_model.path={folder}/bert", "train.epochs=1")
    run_program("train", "--out", folder / "run", *(word for each in options for word in ("--set", each)))
    return folder / "run"


def check(run, folder, seconds, seed):
    from serving import Server, copy_of

    with Server(copy_of(run, folder / "served"), "--log-requests", "none") as server:
        entities = [each["id"] for letter in "aeiot" for each in server.get(f"/v1/entities?q={letter}&limit=20").json["entities"]]
        relations = [each["id"] for each in server.get("/v1/relations").json["relations"]]
        environment = {**os.environ, ENTITIES: "\n".join(entities), RELATIONS: "\n".join(relations),
                       "SCHEMATHESIS_HOOKS": pathlib.Path(__file__).stem, "PYTHONPATH": str(pathlib.Path(__file__).resolve().parent)}
        command = [pathlib.Path(sys.executable).parent / "schemathesis", "run", f"http://127.0.0.1:{server.port}/openapi.json",
                   "--checks", ",".join(CHECKS), "--max-time", str(seconds), "--seed", str(seed), "--no-color"]
        done = subprocess.run(command, env=environment, cwd=folder)
        answered = server.get("/metrics").body.decode().splitlines()
    print("answers by route and status:", *(line for line in answered if line.startswith("hasa_requests_total")), sep="\n  ")
    return done.returncode == 0


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--run", type=pathlib.Path, help="a run that reads texts")
    parser.add_argument("--program", default=str(root / "build/hasa"))
    parser.add_argument("--seconds", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    os.environ["HASA_PROGRAM"] = os.path.abspath(options.program)
    with tempfile.TemporaryDirectory(prefix="hasa-schemathesis-") as folder:
        folder = pathlib.Path(folder)
        run = options.run or train_tiny(os.environ["HASA_PROGRAM"], folder)
        sys.exit(0 if check(run, folder, options.seconds, options.seed) else 1)


if __name__ == "__main__":
    main()
