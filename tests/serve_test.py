"""`hasa serve` as clients and attackers meet it: every route, tokens, limits, malformed and slow requests, shutdown, and
kills that must lose nothing that was acknowledged.

HASA_SERVE_KILLS=20 kills so often (3 otherwise), HASA_KILL_SEED=n at other moments.
"""

import http.client
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

from serving import PATIENCE, PROGRAM, Server, copy_of
from tiny_model import write_small_benchmark, write_tiny_bert

KILLS = int(os.environ.get("HASA_SERVE_KILLS", 3))
SEED = int(os.environ.get("HASA_KILL_SEED", 1))


def hasa(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, timeout=2 * PATIENCE, text=True)
    assert done.returncode == 0, f"{arguments}: {done.stderr}"
    return done.stdout


class Case(unittest.TestCase):
    """A small graph (things e0 to e39; r0 likes, r1 knows, r2 is part of), a run that reads texts and one that does not."""

    @classmethod
    def setUpClass(cls):
        cls._folder = tempfile.TemporaryDirectory(prefix="hasa-serve-")
        cls.folder = pathlib.Path(cls._folder.name)
        write_small_benchmark(cls.folder / "benchmark")
        write_tiny_bert(cls.folder / "bert")
        hasa("import", cls.folder / "benchmark", "--out", cls.folder / "graph")
        cls.texts = cls.train("frozen", "language_model.path=" + str(cls.folder / "bert"), "text.max_tokens=24",
                              "train.epochs=1")
        cls.table = cls.train("distmult", "train.epochs=1")
        cls.train_triples = [line.split("\t") for line in (cls.folder / "benchmark/train.txt").read_text().splitlines()]

    @classmethod
    def train(cls, family, *options):
        config, run = cls.folder / f"{family}.yaml", cls.folder / f"run-{family}"
        config.write_text(f"device: cpu\ngraph: {cls.folder / 'graph'}\nmodel: {{type: {family}}}\n")
        hasa("train", "--config", config, *(word for each in options for word in ("--set", each)), "--out", run)
        return run

    @classmethod
    def tearDownClass(cls):
        cls._folder.cleanup()

    def wait_for(self, condition):
        """What it returns once it is true."""
        deadline = time.monotonic() + PATIENCE
        while not (value := condition()):
            self.assertLess(time.monotonic(), deadline, f"not within {PATIENCE} s")
            time.sleep(0.02)
        return value

    def refused(self, answer, status, says, kind=None):
        self.assertEqual(answer.status, status, answer.body)
        self.assertEqual(answer.headers["Content-Type"], "application/json")
        self.assertIn(says, answer.message)
        if kind:
            self.assertEqual(answer.kind, kind)


class Questions(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = Server(cls.texts, "--read-only")

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()
        super().tearDownClass()

    def predict(self, **question):
        return self.server.post("/v1/predict", question)

    def test_tails_heads_and_relations_are_answered_best_first(self):
        head, relation, tail = self.train_triples[0]
        for question in ({"head": head, "relation": relation}, {"relation": relation, "tail": tail},
                         {"head": head, "tail": tail}):
            answer = self.predict(**question, top=3)
            self.assertEqual(answer.status, 200, answer.body)
            answers = answer.json["answers"]
            self.assertEqual(len(answers), 3)
            self.assertEqual([each["score"] for each in answers], sorted((each["score"] for each in answers), reverse=True))
            for each in answers:
                self.assertTrue({"id", "name", "score", "probability", "known"} <= set(each))

    def test_answers_are_those_of_the_command_line(self):
        head, relation, _ = self.train_triples[0]
        told = json.loads(hasa("predict", self.texts, "--head", head, "--relation", relation, "--top", 5, "--json"))
        served = self.predict(head=head, relation=relation, top=5).json["answers"]
        self.assertEqual([each["id"] for each in served], [each["id"] for each in told["answers"]])
        for one, other in zip(served, told["answers"]):
            self.assertAlmostEqual(one["score"], other["score"], places=4)

    def test_known_answers_are_marked_and_can_be_left_out(self):
        head, relation, tail = self.train_triples[0]
        every = self.predict(head=head, relation=relation, top=40).json["answers"]
        self.assertEqual(next(each["known"] for each in every if each["id"] == tail), "train")
        new = self.predict(head=head, relation=relation, top=40, new_only=True).json["answers"]
        self.assertTrue(new and all(each["known"] is None for each in new))

    def test_a_text_never_seen_before_is_answered(self):
        for question in ({"head_text": "thing 99: a red and tall one", "relation": "likes"},
                         {"relation": "likes", "tail_text": "thing 99"},
                         {"head_text": "thing 99", "tail": "e1"}):
            answer = self.predict(**question)
            self.assertEqual(answer.status, 200, answer.body)
            self.assertTrue(answer.json["answers"])

    def test_a_list_is_answered_in_its_order_as_single_questions_are(self):
        queries = [{"head": head, "relation": relation} for head, relation, _ in self.train_triples[:20]]
        results = self.predict(queries=queries, top=4).json["results"]
        self.assertEqual(len(results), 20)
        for query, result in list(zip(queries, results))[::5]:
            alone = self.predict(**query, top=4).json["answers"]
            self.assertEqual([each["id"] for each in alone], [each["id"] for each in result["answers"]])

    def test_questions_that_come_at_once_are_answered_as_alone(self):
        alone = {i: self.predict(head=f"e{i}", relation="likes", top=5).json["answers"] for i in range(8)}
        wrong = []

        def ask(number):
            connection = self.server.connect()
            self.addCleanup(connection.close)
            for turn in range(20):
                which = (number + turn) % 9
                answer = self.server.post("/v1/predict", {"head": f"e{which}" if which < 8 else "nobody", "relation": "likes", "top": 5},
                                          connection=connection)
                good = answer.status == 404 if which == 8 else [a["id"] for a in answer.json["answers"]] == [a["id"] for a in alone[which]]
                if not good:
                    wrong.append((which, answer.status, answer.body))

        threads = [threading.Thread(target=ask, args=(i,)) for i in range(8)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        self.assertEqual(wrong, [])

    def test_filters_leave_only_what_they_name(self):
        some = self.predict(head="e1", relation="likes", candidates=["e2", "thing 3", "e4"], top=10).json["answers"]
        self.assertEqual({each["id"] for each in some}, {"e2", "e3", "e4"})
        fit = self.predict(head="e1", relation="likes", occurs_with_relation=True, top=40).json["answers"]
        liked = {tail for part in ("train", "valid", "test") for line in (self.folder / f"benchmark/{part}.txt").read_text().splitlines()
                 for _, relation, tail in [line.split("\t")] if relation == "r0"}
        self.assertTrue({each["id"] for each in fit} <= liked)

    def test_triples_are_scored(self):
        head, relation, tail = self.train_triples[0]
        one = self.server.post("/v1/score", {"head": head, "relation": relation, "tail": tail}).json
        self.assertEqual(one["known"], "train")
        several = self.server.post("/v1/score", {"triples": [{"head": head, "relation": relation, "tail": tail},
                                                              {"head": "e1", "relation": "r1", "tail_text": "a quiet one"}]})
        self.assertAlmostEqual(several.json["results"][0]["score"], one["score"], places=4)
        self.assertIsNone(several.json["results"][1]["known"])

    def test_answers_are_explained(self):
        head, relation, tail = self.train_triples[0]
        answer = self.server.post("/v1/explain", {"head": head, "relation": relation, "answer": tail})
        self.assertEqual(answer.status, 200, answer.body)
        self.assertTrue({"score", "probability", "known", "rules", "paths", "facts", "words"} <= set(answer.json))

    def test_entities_are_found_and_shown_with_their_facts(self):
        found = self.server.get("/v1/entities?q=thing%207&limit=3").json["entities"]
        self.assertEqual(found[0]["id"], "e7")
        self.assertLessEqual(len(found), 3)
        head, relation, tail = self.train_triples[0]
        entity = self.server.entity(head).json
        self.assertEqual(entity["name"], "thing " + head[1:])
        self.assertIn({"relation": relation, "direction": "out", "entity": tail, "split": "train"},
                      [{**{key: fact[key] for key in ("relation", "direction", "split")}, "entity": fact["entity"]["id"]} for fact in entity["facts"]])
        self.assertEqual(len(self.server.get(f"/v1/entities/{head}?limit=1").json["facts"]), 1)

    def test_run_and_relations_are_told(self):
        run = self.server.get("/v1/run").json
        self.assertEqual((run["name"], run["entities"], run["relations"], run["triples"]), ("run-frozen", 40, 3, 180))
        self.assertTrue(run["reads_text"])
        self.assertEqual(len(run["curve"]), 1)
        self.assertGreater(run["scores"]["valid"]["mrr"], 0)
        relations = {each["id"]: each for each in self.server.get("/v1/relations").json["relations"]}
        self.assertEqual(relations["r0"]["name"], "likes")
        self.assertEqual(relations["r0"]["inverse_name"], "reverse of likes")
        self.assertEqual(sum(each["triples"] for each in relations.values()), 160)

    def test_what_is_wrong_with_a_question_is_said_with_its_status(self):
        self.refused(self.predict(head="nobody", relation="likes"), 404, "head: ", "not_found")
        self.refused(self.predict(head="e1", relation="lieks"), 404, "likes", "not_found")
        self.refused(self.predict(queries=[{"head": "e1", "relation": "likes"}, {"head": "nobody", "relation": "likes"}]), 404, "queries[1].head: ")
        self.refused(self.predict(head="e1"), 400, "two of", "malformed")
        self.refused(self.predict(head="e1", relation="likes", topp=3), 400, "did you mean top?")
        self.refused(self.predict(head="e1", relation="likes", top=0), 422, "from 1 to 1000", "unanswerable")
        self.refused(self.predict(queries=[{"head": "e1", "relation": "likes"}] * 1001), 413, "1000 is the limit", "too_large")
        self.refused(self.predict(queries=[{"head": "e1", "relation": "likes"}] * 900, top=900), 413, "send them in parts")
        self.refused(self.server.post("/v1/predict", "{nonsense"), 400, "no JSON document")
        self.refused(self.server.post("/v1/predict", b"\xff\xfe"), 400, "no JSON document")
        self.refused(self.server.get("/v1/predict"), 404, "it takes POST")
        self.refused(self.server.get("/v2/predict"), 404, "/openapi.json")
        self.refused(self.server.entity("nobody"), 404, "no entity has the id")
        self.refused(self.server.get("/v1/entities?q=%zz"), 400, "does not decode")

    def test_a_server_that_only_reads_takes_no_changes(self):
        self.refused(self.server.put("new", "thing 99"), 409, "takes no changes", "conflict")

    def test_the_page_may_run_its_own_scripts_and_nothing_else(self):
        page = self.server.get("/")
        self.assertEqual(page.headers["Content-Type"], "text/html; charset=utf-8")
        self.assertIn("default-src 'none'", page.headers["Content-Security-Policy"])
        self.assertNotIn("unsafe", page.headers["Content-Security-Policy"])
        self.assertEqual(page.headers["X-Content-Type-Options"], "nosniff")
        self.assertIn("javascript", self.server.get("/page/main.js").headers["Content-Type"])
        self.refused(self.server.get("/page/..%2Fmain.js"), 404, "no file of this name")

    def test_operators_are_told(self):
        self.assertEqual(self.server.get("/health").json, {"status": "ok"})
        self.assertEqual(self.server.get("/ready").json, {"status": "ready"})
        self.predict(head="e1", relation="likes")
        metrics = self.server.get("/metrics").body.decode()
        self.assertRegex(metrics, r'hasa_requests_total\{route="predict",status="200"\} [1-9]')
        self.assertRegex(metrics, r'hasa_batch_questions_count\{lane="known"\} [1-9]')
        self.assertRegex(metrics, r"hasa_resident_memory_bytes \d")
        document = self.server.get("/openapi.json").json
        self.assertTrue(document["openapi"].startswith("3."))
        self.assertIn("/v1/predict", document["paths"])

    def test_requests_are_logged_as_lines_of_json(self):
        self.server.get("/v1/run?secret=1")
        logged = self.wait_for(lambda: [each for each in self.server.events("request") if each["path"] == "/v1/run"])
        self.assertEqual(logged[0]["status"], 200)
        self.assertTrue({"time", "level", "method", "ms", "bytes", "peer"} <= set(logged[0]))
        self.assertNotIn("secret", self.server.errors())


class Attackers(Case):
    """Requests that no friendly client sends."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, token in (("read", "reading-token"), ("write", "writing-token")):
            (cls.folder / name).write_text(token + "\n")
            (cls.folder / name).chmod(0o600)
        cls.server = Server(copy_of(cls.texts, cls.folder / "own"), "--read-token-file", cls.folder / "read", "--write-token-file",
                            cls.folder / "write", "--max-body", "4K", "--allow-host", "graph.example", env={"HASA_SERVE_MAX_TOP": "7"})

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()
        super().tearDownClass()

    def raw(self, *parts, pause=0.0, server=None):
        """What comes back for bytes sent as they are, until the server closes."""
        with socket.create_connection(("127.0.0.1", (server or self.server).port), timeout=PATIENCE) as connection:
            for part in parts:
                try:
                    connection.sendall(part)
                except OSError:
                    break
                time.sleep(pause)
            answer = b""
            try:
                while part := connection.recv(65536):
                    answer += part
            except OSError:
                pass
        return answer

    def raw_refused(self, answer, status, kind):
        self.assertTrue(answer.startswith(f"HTTP/1.1 {status} ".encode()), answer[:200])
        self.assertEqual(json.loads(answer.split(b"\r\n\r\n", 1)[1])["error"]["kind"], kind)

    def bearer(self, token):
        return {"Authorization": f"Bearer {token}"}

    def test_tokens_to_read_and_to_write_are_apart(self):
        question = {"head": "e1", "relation": "likes"}
        for headers in ({}, self.bearer("wrong"), {"Authorization": "Basic reading-token"}):
            answer = self.server.post("/v1/predict", question, headers=headers)
            self.refused(answer, 401, "token", "unauthorised")
            self.assertEqual(answer.headers["WWW-Authenticate"], "Bearer")
        for path in ("/v1/entities?q=a", "/v1/run", "/v1/relations", "/metrics"):
            self.refused(self.server.get(path), 401, "token")
        self.assertEqual(self.server.post("/v1/predict", question, headers=self.bearer("reading-token")).status, 200)
        self.refused(self.server.put("new", "thing 99", headers=self.bearer("reading-token")), 401, "reads only")
        self.assertEqual(self.server.put("new", "thing 99", headers=self.bearer("writing-token")).status, 201)
        self.assertEqual(self.server.post("/v1/predict", question, headers=self.bearer("writing-token")).status, 200)
        for path in ("/health", "/ready", "/openapi.json", "/"):
            self.assertEqual(self.server.get(path).status, 200, path)

    def test_no_web_page_can_talk_to_it(self):
        for headers in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}, {"Origin": "null"},
                        {"Sec-Fetch-Site": "cross-site"}, {"Host": "evil.example", "Origin": "http://evil.example"}):
            for path in ("/v1/run", "/health", "/"):
                self.refused(self.server.get(path, headers={**self.bearer("writing-token"), **headers}), 400, "", "forbidden")
        for headers in ({"Host": "graph.example"}, {"Host": "localhost:1"}, {"Origin": f"http://127.0.0.1:{self.server.port}"}):
            self.assertEqual(self.server.get("/health", headers=headers).status, 200, headers)

    def test_every_option_has_a_twin_in_the_environment(self):
        answer = self.server.post("/v1/predict", {"head": "e1", "relation": "likes", "top": 8}, headers=self.bearer("reading-token"))
        self.refused(answer, 422, "from 1 to 7")

    def test_malformed_requests_are_told_so(self):
        for request in (b"nonsense\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\nHost: h\n\n", b"GET / HTTP/3.0\r\nHost: h\r\n\r\n",
                        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n",
                        b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"):
            self.raw_refused(self.raw(request), 400, "malformed")

    def test_oversize_requests_are_told_so_before_they_are_read(self):
        self.raw_refused(self.raw(b"POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4097\r\n\r\n"), 413, "too_large")
        self.raw_refused(self.raw(b"POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50000000\r\n\r\n" + b"x" * 3000000), 413, "too_large")
        self.raw_refused(self.raw(b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n" + b"800\r\n" + b"x" * 2048 + b"\r\n" + b"801\r\n"), 413, "too_large")
        self.raw_refused(self.raw(b"GET / HTTP/1.1\r\nX: " + b"x" * 20000), 413, "too_large")

    def test_slow_requests_are_told_so_and_silent_ones_closed(self):
        # A server for each, so that a client held up by a busy machine is not silent before it is slow.
        with Server(self.table, "--read-only", "--arrival-timeout", "0.5") as hasty:
            body_missing = b"POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"
            self.raw_refused(self.raw(body_missing, server=hasty), 408, "slow")
            self.raw_refused(self.raw(*[b"G", b"E", b"T", b" ", b"/", b" "], pause=0.15, server=hasty), 408, "slow")
        with Server(self.table, "--read-only", "--idle-timeout", "0.5") as brief:
            self.assertEqual(self.raw(b"", server=brief), b"")

    def test_a_hundred_slow_clients_keep_nobody_waiting(self):
        slow = [socket.create_connection(("127.0.0.1", self.server.port)) for _ in range(100)]
        try:
            for each in slow:
                each.sendall(b"GET /health HTTP/1.1\r\nHos")
            # The slow ones are given longer than the client waits here.
            self.assertEqual(self.server.get("/health").status, 200)
        finally:
            for each in slow:
                each.close()


class Changes(Case):
    def test_an_entity_is_added_found_linked_asked_about_and_deleted(self):
        with Server(copy_of(self.texts, self.folder / "changes")) as server:
            put = server.put("n/1", "wolpertinger", "a red and swift one")
            self.assertEqual((put.status, put.json["created"]), (201, True))
            self.assertEqual(server.put("n/1", "wolpertinger", "an old one").status, 200)
            shown = server.entity("n/1").json
            self.assertEqual((shown["description"], shown["live"], shown["facts"]), ("an old one", True, []))
            self.assertEqual(server.get("/v1/entities?q=wolper").json["entities"][0]["id"], "n/1")
            every = server.post("/v1/predict", {"head": "e1", "relation": "likes", "top": 50}).json["answers"]
            self.assertIn("n/1", {each["id"] for each in every})
            triple = {"head": "wolpertinger", "relation": "likes", "tail": "e2"}
            self.assertEqual(server.post("/v1/triples", triple).json, {"added": 1, "known": 0})
            self.assertEqual(server.post("/v1/triples", {"triples": [triple]}).json, {"added": 0, "known": 1})
            answers = server.post("/v1/predict", {"head": "n/1", "relation": "r0", "top": 50}).json["answers"]
            self.assertEqual([each["id"] for each in answers if each["known"] == "live"], ["e2"])
            self.assertEqual(server.entity("n/1").json["facts"][0]["split"], "live")
            self.assertEqual(server.ask("DELETE", "/v1/triples", triple).json, {"removed": 1, "absent": 0})
            self.assertEqual(server.ask("DELETE", "/v1/entities/n%2F1").status, 200)
            self.assertEqual(server.entity("n/1").status, 404)
            self.refused(server.ask("DELETE", "/v1/entities/n%2F1"), 404, "n/1")
            self.refused(server.post("/v1/triples", triple), 404, "head: ")

    def test_entities_that_come_and_go_leave_no_memory_behind(self):
        with Server(copy_of(self.texts, self.folder / "gone")) as server:
            connection = server.connect()
            self.addCleanup(connection.close)

            def come_and_go(numbers):
                for number in numbers:
                    names = ", ".join(f"name {each} of {number}" for each in range(60))
                    self.assertEqual(server.put(f"gone-{number}", names, connection=connection).status, 201)
                    self.assertEqual(server.ask("DELETE", f"/v1/entities/gone-{number}", connection=connection).status, 200)

            def metric(name):
                return float(re.search(rf"^{name} (\S+)$", server.get("/metrics").body.decode(), re.MULTILINE)[1])

            come_and_go(range(50))
            before = metric("hasa_allocated_memory_bytes")
            come_and_go(range(50, 250))
            self.assertEqual(metric("hasa_entities"), 40)
            # What finds one by its 60 names takes more than 6 kB.
            self.assertLess(metric("hasa_allocated_memory_bytes") - before, 400_000)

    def test_a_name_that_several_bear_is_asked_back(self):
        with Server(copy_of(self.texts, self.folder / "ambiguous")) as server:
            for entity_id in ("bat-1", "bat-2"):
                server.put(entity_id, "bat", "one of two")
            answer = server.post("/v1/predict", {"head": "bat", "relation": "likes"})
            self.refused(answer, 409, "2 entities", "ambiguous")
            self.assertEqual({each["id"] for each in answer.json["error"]["candidates"]}, {"bat-1", "bat-2"})

    def test_a_model_without_texts_says_so_and_still_takes_triples(self):
        with Server(copy_of(self.table, self.folder / "table")) as server:
            self.refused(server.post("/v1/predict", {"head_text": "a wolf", "relation": "likes"}), 422, "reads no text", "unanswerable")
            self.refused(server.put("new", "thing 99"), 422, "", "unanswerable")
            self.assertEqual(server.post("/v1/triples", {"head": "e1", "relation": "likes", "tail": "e1"}).status, 200)

    def test_two_servers_do_not_write_to_one_run(self):
        run = copy_of(self.table, self.folder / "shared")
        with Server(run) as server:
            server.post("/v1/triples", {"head": "e1", "relation": "likes", "tail": "e1"})
            done = subprocess.run([PROGRAM, "serve", run, "--port", "0"], capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual(done.returncode, 1)
            self.assertIn("another process takes changes", done.stderr)
            with Server(run, "--read-only") as reader:
                self.assertEqual(reader.post("/v1/score", {"head": "e1", "relation": "likes", "tail": "e1"}).json["known"], "live")


class Ends(Case):
    def test_a_stop_lets_requests_in_hand_end_and_leaves_with_0(self):
        body = json.dumps({"queries": [{"head": f"e{i % 40}", "relation": "likes"} for i in range(1000)], "top": 40}).encode()
        request = b"POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(body) + body
        for how in (signal.SIGTERM, signal.SIGINT):
            server = Server(self.texts, "--read-only")
            self.addCleanup(server.stop)
            idle = server.connect()
            self.addCleanup(idle.close)
            self.assertEqual(server.get("/health", connection=idle).status, 200)
            with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as asking:
                asking.sendall(request[:-1])
                self.assertEqual(server.get("/health").status, 200)  # came later, so the server has begun the other
                server.process.send_signal(how)
                self.wait_for(lambda: server.events("stopping"))
                asking.sendall(request[-1:])
                answer = http.client.HTTPResponse(asking, method="POST")
                answer.begin()
                self.assertEqual((answer.status, len(json.loads(answer.read())["results"])), (200, 1000))
            server.process.wait(PATIENCE)
            self.assertEqual(server.stop(), 0, server.errors())
            self.assertTrue(server.events("stopped"))

    def test_a_port_that_is_taken_is_said_at_once(self):
        with Server(self.texts, "--read-only") as server:
            done = subprocess.run([PROGRAM, "serve", self.texts, "--port", str(server.port)], capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual(done.returncode, 1)
            self.assertIn("choose another with --port", done.stderr)

    def test_a_token_file_without_a_token_is_refused(self):
        (self.folder / "empty").write_text("\n")
        done = subprocess.run([PROGRAM, "serve", self.texts, "--read-token-file", self.folder / "empty"], capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 2)
        self.assertIn("holds no token", done.stderr)

    def test_kills_lose_no_acknowledged_change(self):
        """Clients write without pause; what the server said it has, it has when it is started again."""
        rng = random.Random(SEED)
        run = copy_of(self.texts, self.folder / "killed")
        kept = {}  # id -> name of the last acknowledged put, None where a delete was acknowledged
        links = set()
        for kill in range(KILLS):
            server = Server(run)
            self.check_kept(server, kept, links)
            ended = threading.Event()
            writers = [threading.Thread(target=self.write, args=(server, f"{kill}-{number}", kept, links, ended)) for number in range(4)]
            before = len(kept)
            for each in writers:
                each.start()
            self.wait_for(lambda: len(kept) > before + 2)
            time.sleep(rng.uniform(0, 0.5))
            server.process.kill()
            ended.set()
            for each in writers:
                each.join()
            server.stop()
        with Server(run) as server:
            self.check_kept(server, kept, links)
        self.assertGreater(len(kept), KILLS, f"HASA_KILL_SEED={SEED}")

    @staticmethod
    def write(server, name, kept, links, ended):
        connection = server.connect()
        for number in range(100000):
            if ended.is_set():
                connection.close()
                return
            entity = f"live-{name}-{number}"
            try:
                if server.put(entity, f"name {number}", connection=connection).status == 201:
                    kept[entity] = f"name {number}"
                if server.post("/v1/triples", {"head": entity, "relation": "r1", "tail": "e1"}, connection=connection).status == 200:
                    links.add(entity)
                if number % 3 == 0 and number > 0:
                    other = f"live-{name}-{number - 1}"
                    asked = kept.pop(other, None)  # until the answer comes nobody knows
                    links.discard(other)
                    if server.ask("DELETE", f"/v1/entities/{other}", connection=connection).status == 200:
                        kept[other] = None
                    elif asked:
                        kept[other] = asked
            except (OSError, http.client.HTTPException):  # the server died, perhaps in the middle of an answer
                connection.close()
                return

    def check_kept(self, server, kept, links):
        for entity, name in list(kept.items()):
            answer = server.entity(entity)
            said = f"{entity}, HASA_KILL_SEED={SEED}"
            self.assertEqual(answer.status, 404 if name is None else 200, said)
            if name is not None:
                self.assertEqual(answer.json["name"], name, said)
                if entity in links:
                    self.assertEqual([fact["entity"]["id"] for fact in answer.json["facts"]], ["e1"], said)


class Examples(unittest.TestCase):
    """What of examples/serve can be tested without a container engine or a running systemd."""

    FOLDER = pathlib.Path(__file__).resolve().parent.parent / "examples/serve"

    def test_they_set_only_options_that_there_are(self):
        known = set(re.findall(r"HASA_SERVE_[A-Z_]+", hasa("serve", "--help")))
        for example in self.FOLDER.iterdir():
            named = set(re.findall(r"HASA_SERVE_[A-Z_]+", example.read_text()))
            self.assertTrue(named and named <= known, (example.name, named - known))

    @unittest.skipUnless(shutil.which("systemd-analyze"), "this machine has no systemd-analyze")
    def test_the_unit_is_one_to_systemd(self):
        with tempfile.TemporaryDirectory() as folder:
            unit = pathlib.Path(folder) / "hasa.service"
            unit.write_text((self.FOLDER / "hasa.service").read_text().replace("/opt/hasa/bin/hasa", PROGRAM))
            done = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main(verbosity=2)
