#!/usr/bin/env python3
"""Hours of mixed reads and writes against `hasa serve`: every acknowledged change must be there at the end, after a
restart too, and memory must stay flat.

    bench/serve_soak.py --hasa build/hasa --run RUN [--minutes 60] [--rate 50] [--live 2000] [--kills 0] [--json FILE]

RUN is copied; it must read texts. Four clients put, edit and delete entities of their own and their links, so that about
--live of them exist at a time, and four ask: by known entity, by new text, by search, for an entity. --rate is in
requests a second of them all. With --kills the server is killed (SIGKILL) so often at random moments, and started
again; without, resident memory in the second tenth is compared with that in the last, and beside it stands what the
program had allocated: what grows in the first alone is free memory in pieces. Ends with 1 when a change is lost or
resident memory grows by more than a twentieth. --live entities must be there by the end of the first tenth.
"""

import argparse
import http.client
import json
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hasa", required=True)
    parser.add_argument("--run", required=True)
    parser.add_argument("--graph", default="")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--rate", type=float, default=50)
    parser.add_argument("--live", type=int, default=2000)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json")
    return parser.parse_args()


class Server:
    def __init__(self, options, run):
        graph = ["--graph", options.graph] if options.graph else []
        self.process = subprocess.Popen([options.hasa, "serve", run, "--port", "0", "--log-requests", "none", *graph],
                                        stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        self.port = json.loads(self.process.stderr.readline())["port"]
        threading.Thread(target=lambda: [print(line, end="", file=sys.stderr) for line in self.process.stderr if '"info"' not in line], daemon=True).start()
        while self.status("/ready") != 200:
            if self.process.poll() is not None:
                sys.exit("the server did not start")
            time.sleep(0.05)

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def status(self, path):
        connection = self.connect()
        connection.request("GET", path)
        return connection.getresponse().status

    def memory(self):
        """Resident and allocated bytes, and how many entities there are."""
        connection = self.connect()
        connection.request("GET", "/metrics")
        metrics = connection.getresponse().read().decode()
        names = ("hasa_resident_memory_bytes", "hasa_allocated_memory_bytes", "hasa_entities")
        return [int(float(re.search(rf"^{name} (\S+)$", metrics, re.MULTILINE)[1])) for name in names]


class Client(threading.Thread):
    """Goes on with the next server when one was killed."""

    def __init__(self, soak, number):
        super().__init__(daemon=True)
        self.soak, self.number, self.rng = soak, number, random.Random(f"{soak.options.seed} {number}")
        self.connection, self.server, self.requests = None, None, 0
        self.statuses = {}

    def ask(self, method, path, body=None):
        """None where the server died before it answered."""
        server = self.soak.server
        if server is None:  # being started again
            return None, None
        try:
            if self.server is not server:
                self.server, self.connection = server, server.connect()
            self.connection.request(method, path, json.dumps(body) if body is not None else None)
            response = self.connection.getresponse()
            answer = json.loads(response.read())
        except (OSError, http.client.HTTPException):
            self.connection, self.server = None, None
            return None, None
        self.requests += 1
        self.statuses[response.status] = self.statuses.get(response.status, 0) + 1
        return response.status, answer

    def run(self):
        gap = 8 / self.soak.options.rate
        while not self.soak.ended.is_set():
            if self.soak.server is None:
                time.sleep(0.02)
                continue
            self.act()
            time.sleep(self.rng.expovariate(1 / gap))


class Reader(Client):
    def act(self):
        soak, rng = self.soak, self.rng
        kind = rng.randrange(4)
        if kind == 0:
            self.ask("POST", "/v1/predict", {"head": rng.choice(soak.entities), "relation": rng.choice(soak.relations)})
        elif kind == 1:
            self.ask("POST", "/v1/predict", {"head_text": f"thing {rng.random()}: {rng.choice(soak.words)} and {rng.choice(soak.words)}", "relation": rng.choice(soak.relations)})
        elif kind == 2:
            self.ask("GET", f"/v1/entities?q={rng.choice('abcdefghijklmnoprstw')}{rng.choice('aeiou')}")
        else:
            self.ask("GET", f"/v1/entities/{rng.choice(soak.entities)}")


class Writer(Client):
    """Knows what the server acknowledged of its entities: id -> name and tail of its link, or None when deleted; what
    was asked for and not answered is in doubt and not held against the server."""

    def __init__(self, soak, number):
        super().__init__(soak, number)
        self.known, self.made = {}, 0

    def act(self):
        alive = [entity for entity, is_there in self.known.items() if is_there]
        if len(alive) > self.soak.options.live / 4 and self.rng.random() < 0.6:
            self.remove(self.rng.choice(alive))
        elif alive and self.rng.random() < 0.3:
            self.put(self.rng.choice(alive))
        else:
            self.made += 1
            self.put(f"soak-{self.number}-{self.made}")

    def put(self, entity):
        before = self.known.pop(entity, None)
        name = f"thing {self.number} {self.rng.randrange(10**9)}"
        status, _ = self.ask("PUT", f"/v1/entities/{entity}", {"name": name, "description": self.rng.choice(self.soak.words)})
        if status not in (200, 201):
            return
        if before:
            self.known[entity] = (name, before[1])
            return
        tail = self.rng.choice(self.soak.entities)
        status, _ = self.ask("POST", "/v1/triples", {"head": entity, "relation": self.soak.relations[0], "tail": tail})
        if status == 200:
            self.known[entity] = (name, tail)

    def remove(self, entity):
        self.known.pop(entity)
        if self.ask("DELETE", f"/v1/entities/{entity}")[0] == 200:
            self.known[entity] = None

    def lost(self):
        wrong = []
        for entity, expected in self.known.items():
            status, answer = self.ask("GET", f"/v1/entities/{entity}")
            found = None if status == 404 else (answer["name"], answer["facts"][0]["entity"]["id"] if answer["facts"] else "")
            if found != expected:
                wrong.append((entity, expected, found))
        return wrong


class Soak:
    def __init__(self, options):
        self.options, self.ended, self.server = options, threading.Event(), None
        self.words = ["red", "old", "swift", "quiet", "a small animal", "a tall building", "a kind of music", "a river in the north"]

    def learn(self):
        connection = self.server.connect()
        self.entities = []
        for letter in "abcdefghijklmnopqrstuvwxyz":
            connection.request("GET", f"/v1/entities?q={letter}&limit=50")
            self.entities += [each["id"] for each in json.loads(connection.getresponse().read())["entities"]]
        connection.request("GET", "/v1/relations")
        self.relations = [each["id"] for each in json.loads(connection.getresponse().read())["relations"]]

    def restart(self, run, how):
        old, self.server = self.server, None
        if old is not None:
            old.process.send_signal(how)
            old.process.wait(60)
        self.server = Server(self.options, run)

    def watch(self, run):
        """[seconds, resident bytes, allocated bytes, entities] over time; kills on the way."""
        seconds = self.options.minutes * 60
        began, memory = time.monotonic(), []
        rng = random.Random(self.options.seed)
        kills = sorted(rng.uniform(0, seconds) for _ in range(self.options.kills))
        while (now := time.monotonic() - began) < seconds:
            if kills and now >= kills[0]:
                kills.pop(0)
                self.restart(run, signal.SIGKILL)
            memory.append([now, *self.server.memory()])
            if int(now / 60) > int(memory[-2:][0][0] / 60):  # a minute has passed
                print("{:.0f} s: {:.1f} MB resident, {:.1f} MB allocated, {} entities".format(now, memory[-1][1] / 1e6, memory[-1][2] / 1e6, memory[-1][3]),
                      file=sys.stderr, flush=True)
            time.sleep(min(10, seconds / 100))
        return memory


def mean(values):
    return sum(values) / len(values)


def main():
    options = parse()
    with tempfile.TemporaryDirectory() as folder:
        run = pathlib.Path(folder) / "run"
        shutil.copytree(options.run, run)
        soak = Soak(options)
        soak.restart(run, signal.SIGTERM)
        soak.learn()
        clients = [kind(soak, number) for number in range(4) for kind in (Reader, Writer)]
        for each in clients:
            each.start()
        memory = soak.watch(run)
        soak.ended.set()
        for each in clients:
            each.join()
        writers = [each for each in clients if isinstance(each, Writer)]
        before = [wrong for each in writers for wrong in each.lost()]
        soak.restart(run, signal.SIGTERM)
        after = [wrong for each in writers for wrong in each.lost()]
        soak.server.process.send_signal(signal.SIGTERM)
        soak.server.process.wait(60)
    statuses = {}
    for each in clients:
        for status, count in each.statuses.items():
            statuses[status] = statuses.get(status, 0) + count
    tenth = options.minutes * 6
    first = [each for each in memory if tenth <= each[0] < 2 * tenth] or memory[:1]
    last = [each for each in memory if each[0] >= 9 * tenth] or memory[-1:]
    (_, resident_first, allocated_first, _), (_, resident_last, allocated_last, _) = ([mean(column) for column in zip(*part)] for part in (first, last))
    report = {"minutes": options.minutes, "requests": sum(each.requests for each in clients), "statuses": statuses,
              "changes_held_against_it": sum(len(each.known) for each in writers), "lost": len(before), "lost_after_restart": len(after),
              "kills": options.kills, "resident_bytes_second_tenth": resident_first, "resident_bytes_last_tenth": resident_last,
              "growth": resident_last / resident_first - 1, "allocated_bytes_second_tenth": allocated_first,
              "allocated_bytes_last_tenth": allocated_last, "allocated_growth": allocated_last / allocated_first - 1}
    print(json.dumps(report, indent=2))
    for wrong in (before + after)[:10]:
        print("lost:", wrong, file=sys.stderr)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps({**report, "memory": memory}, indent=2) + "\n")
    sys.exit(bool(before or after or (options.kills == 0 and report["growth"] > 0.05)))


if __name__ == "__main__":
    main()
