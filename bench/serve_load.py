#!/usr/bin/env python3
"""How fast `hasa serve` answers, in one run: known-entity questions in an open loop, questions by new text beside the
bare encoder.

    bench/serve_load.py --hasa build/hasa --load build/serve_load_driver --run RUN --data "$HASA_DATA/WN18RR"
        [--encoder build/encoder_driver --model .venv/models/all-MiniLM-L6-v2] [--rate 1000] [--seconds 60]
        [--connections 32] [--texts 3000] [--json FILE]

Known-entity questions are the test triples' own, both directions, top 10, arriving at --rate a second whatever the
answers take; latencies count from the moment a request was due (bench/serve_load_driver.cpp). Texts are entity texts,
each with a word of its own in front so that none was seen before, sent as fast as --connections take them, one to a
request; the encoder reads the same texts in one go. Server, clients and encoder share the machine's cores.
"""

import argparse
import json
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("hasa", "load", "run", "data"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--encoder")
    parser.add_argument("--model")
    parser.add_argument("--graph", default="")
    parser.add_argument("--rate", type=float, default=1000)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--texts", type=int, default=3000)
    parser.add_argument("--json")
    return parser.parse_args()


class Server:
    def __init__(self, options):
        graph = ["--graph", options.graph] if options.graph else []
        self.process = subprocess.Popen([options.hasa, "serve", options.run, "--port", "0", "--read-only", "--log-requests", "failed", *graph],
                                        stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        self.port = None
        threading.Thread(target=self.read_log, daemon=True).start()
        while not self.is_ready():
            if self.process.poll() is not None:
                sys.exit("the server did not start")
            time.sleep(0.1)

    def read_log(self):
        for line in self.process.stderr:
            event = json.loads(line) if line.startswith("{") else {"event": line}
            if event["event"] == "listening":
                self.port = event["port"]
            elif event["event"] not in ("ready", "stopping", "stopped"):
                print(line, end="", file=sys.stderr)

    def get(self, path):
        return urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=60).read().decode()

    def is_ready(self):
        try:
            return self.port is not None and "ready" in self.get("/ready")
        except OSError:
            return False

    def metric(self, name):
        found = re.search(rf"^{re.escape(name)} (\S+)$", self.get("/metrics"), re.MULTILINE)
        return float(found[1]) if found else 0.0


def load(options, server, bodies, rate, seconds, folder):
    file = pathlib.Path(folder) / "bodies.jsonl"
    file.write_text("".join(json.dumps(body) + "\n" for body in bodies))
    done = subprocess.run([options.load, "127.0.0.1", str(server.port), "/v1/predict", file, str(rate), str(seconds), str(options.connections)],
                          capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def batches(server, lane):
    return server.metric(f'hasa_batch_questions_sum{{lane="{lane}"}}'), server.metric(f'hasa_batch_questions_count{{lane="{lane}"}}')


def with_batches(server, lane, run):
    before = batches(server, lane)
    report = run()
    questions, count = (after - was for after, was in zip(batches(server, lane), before))
    return {**report, "questions_a_batch": round(questions / max(count, 1), 2)}


def known_questions(data):
    rows = [line.split("\t") for line in (data / "test.txt").read_text().splitlines()]
    random.Random(3).shuffle(rows)
    return [question for head, relation, tail in rows for question in ({"head": head, "relation": relation}, {"relation": relation, "tail": tail})]


def new_texts(data, count):
    rng = random.Random(5)
    rows = [line.split("\t") for line in (data / "entities.tsv").read_text().splitlines()]
    words = [row[1].split(",")[0].split(" ")[0] for row in rows]
    return [f"{rng.choice(words)} {row[1]}: {row[2] if len(row) > 2 else ''}" for row in rng.sample(rows, count)]


def encoder_rate(options, texts, folder):
    """Texts a second, the best of three."""
    file = pathlib.Path(folder) / "texts.txt"
    file.write_text("".join(text + "\n" for text in texts))
    driver = subprocess.Popen([options.encoder, options.model, file, "40"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    driver.stdout.readline()
    times = []
    for _ in range(3):
        driver.stdin.write("fp32\n")
        driver.stdin.flush()
        times.append(float(driver.stdout.readline().split()[0]))
    driver.stdin.close()
    driver.wait()
    return len(texts) / min(times)


def main():
    options = parse()
    data = pathlib.Path(options.data)
    report = {}
    with tempfile.TemporaryDirectory() as folder:
        server = Server(options)
        known = known_questions(data)
        load(options, server, known[:2000], options.rate / 2, 2, folder)  # warm
        report["known"] = with_batches(server, "known", lambda: load(options, server, known, options.rate, options.seconds, folder))
        relation = known[0]["relation"]
        texts = new_texts(data, options.texts)
        questions = [{"head_text": text, "relation": relation} for text in texts]
        report["texts"] = with_batches(server, "texts", lambda: load(options, server, questions, 1e9, len(questions) / 1e9, folder))
        report["resident_bytes"] = server.metric("hasa_resident_memory_bytes")
        server.process.send_signal(signal.SIGTERM)
        report["exit_code"] = server.process.wait(60)
        if options.encoder:
            report["encoder_texts_per_second"] = encoder_rate(options, texts, folder)
            report["texts_of_encoder"] = report["texts"]["per_second"] / report["encoder_texts_per_second"]
    text = json.dumps(report, indent=2)
    print(text)
    if options.json:
        pathlib.Path(options.json).write_text(text + "\n")


if __name__ == "__main__":
    main()
