"""Evaluation from outside: ranks recomputed from what is written, memory as the system counts it, refusals, outputs."""

import csv
import html.parser
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

from cli_test import MODEL, PROGRAM, ROOT, Case, hasa

ENTITIES, TRAIN, TEST = 4000, 6000, 5000


def write_benchmark(folder):
    """A random graph. Entities past the first 3,000 are in no training triple, and have 10 texts between them, so that
    their vectors are equal and scores tie."""
    rng = random.Random(1)
    def triples(count, entities):
        found = {}
        while len(found) < count:
            found[f"e{rng.randrange(entities)}\tr{rng.randrange(3)}\te{min(rng.randrange(entities), rng.randrange(entities))}"] = None
        return list(found)
    folder.mkdir()
    all_triples = triples(TRAIN, 3000)
    held_out = [t for t in triples(TEST + 200, ENTITIES) if t not in set(all_triples)]
    for name, rows in (("train", all_triples), ("valid", held_out[:20]), ("test", held_out[20:])):
        (folder / f"{name}.txt").write_text("".join(row + "\n" for row in rows))
    (folder / "entities.tsv").write_text("".join(f"e{i}\tthing {i if i < 3000 else i % 10}\t\n" for i in range(ENTITIES)))
    (folder / "relations.tsv").write_text("r0\tlikes\nr1\tknows\nr2\tis part of\n")


class Evaluation(Case):
    @classmethod
    def setUpClass(cls):
        cls._shared = tempfile.TemporaryDirectory(prefix="hasa-eval-")
        shared = cls.shared = Path(cls._shared.name)
        write_benchmark(shared / "bench")
        config = shared / "c.yaml"
        config.write_text(f"graph: {shared}/graph\ndevice: cpu\nlanguage_model:\n  path: {MODEL}\nmodel:\n  dim: 32\n"
                          "train:\n  epochs: 1\n  batch: 1024\n")
        for command in (["import", shared / "bench", "--out", shared / "graph"],
                        ["train", "--config", config, "--out", shared / "run"],
                        ["train", "--config", config, "--out", shared / "other", "--set", "seed=2"]):
            done = hasa(*command)
            assert done.returncode == 0, done.stderr.decode()
        cls.run_folder = shared / "run"

    @classmethod
    def tearDownClass(cls):
        cls._shared.cleanup()

    def test_ranks_recomputed_in_numpy_from_the_embeddings_are_those_written(self):
        code = re.search(r"```python\n(.*?)```", (ROOT / "docs/evaluation.md").read_text(), re.S)[1]
        scope = {}
        exec(compile(code, "docs/evaluation.md", "exec"), scope)
        self.good("eval", self.run_folder, "--ranks", self.folder / "r.tsv", "--embeddings", self.folder / "vectors")
        with open(self.folder / "r.tsv", newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
        self.assertGreater(len(rows), 2 * TEST)
        vectors = np.load(self.folder / "vectors/entities.npy")
        self.assertEqual((vectors.dtype, vectors.shape), (np.float32, (ENTITIES, 32)))
        exact = tied = 0
        for row, (query, low, high) in zip(rows, scope["recomputed_ranks"](self.folder / "vectors", self.shared / "bench"), strict=True):
            self.assertEqual((row["head"], row["relation"], row["tail"], row["direction"]), query)
            optimistic, realistic, pessimistic = (float(row[name]) for name in ("optimistic", "realistic", "pessimistic"))
            self.assertLessEqual(low, optimistic)
            self.assertLessEqual(pessimistic, high)
            self.assertEqual(realistic, (optimistic + pessimistic) / 2)
            exact += low == high
            tied += optimistic < pessimistic
        self.assertGreater(exact, len(rows) / 2)  # where nothing is near, the ranks were compared one to one
        self.assertGreater(tied, 1000)

    def test_the_json_agrees_with_the_ranks_file_and_holds_every_part(self):
        report = json.loads(self.good("eval", self.run_folder, "--json", "--ranks", self.folder / "r.tsv", "--protocol", "paper"))
        with open(self.folder / "r.tsv", newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
        for rule in ("optimistic", "realistic", "pessimistic"):
            ranks = np.array([float(row[rule]) for row in rows])
            found = report["rules"]["filtered"][rule]
            self.assertAlmostEqual(found["mrr"], float(np.mean(1 / ranks)), 12)
            self.assertAlmostEqual(found["hits@10"], float(np.mean(ranks <= 10)), 12)
            self.assertLess(report["rules"]["raw"][rule]["mrr"], found["mrr"] + 1e-12)
        self.assertEqual(report["all"]["mrr"], report["rules"]["filtered"]["realistic"]["mrr"])
        low, high = report["all"]["intervals"]["mrr"]
        self.assertTrue(low < report["all"]["mrr"] < high)
        self.assertEqual(set(report["breakdown"]), {"direction", "relation", "cardinality", "answer_degree", "given_degree", "distance",
                                                    "answer_seen", "entities_seen", "pair_linked"})
        for groups in report["breakdown"].values():
            self.assertEqual(sum(group["queries"] for group in groups), len(rows))
        self.assertEqual(report["paper_protocol"]["queries"], 12 * 256)
        self.assertFalse(report["paper_protocol"]["comparable"])
        certificate = report["certificate"]
        for name, digest in certificate["weights"].items():
            self.assertEqual(digest, "sha256:" + subprocess.run(["sha256sum", self.run_folder / name], capture_output=True, check=True).stdout.split()[0].decode())
        self.assertEqual((certificate["seed"], certificate["queries"]), (1, len(rows)))

    def peak(self, *arguments):
        """Peak resident memory of one run of the program in bytes, as the kernel counts it, and what it said."""
        script = ("import json, resource, subprocess, sys\n"
                  "done = subprocess.run(sys.argv[1:], capture_output=True)\n"
                  "print(json.dumps([done.returncode, done.stdout.decode(), done.stderr.decode(),"
                  " resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024]))")
        done = subprocess.run([sys.executable, "-c", script, PROGRAM, *map(str, arguments)], capture_output=True, timeout=900, check=True)
        code, out, err, peak = json.loads(done.stdout)
        self.assertEqual(code, 0, err)
        return peak, out

    def test_peak_memory_stays_under_the_cap_and_ranks_are_the_same(self):
        free, table = self.peak("eval", self.run_folder, "--ranks", self.folder / "free.tsv")
        refusal = self.refused("eval", self.run_folder, "--memory", "50M", code=1, says="--memory is 50.0 MiB")
        needed = float(re.search(r"takes about ([\d.]+) MiB", refusal)[1])
        cap = int(needed) + 1
        capped, _ = self.peak("eval", self.run_folder, "--memory", f"{cap}M", "--ranks", self.folder / "capped.tsv", "--json",
                              "--html", self.folder / "r.html", "--embeddings", self.folder / "vectors", "--protocol", "paper")
        if not os.environ.get("HASA_SANITIZE"):  # a sanitizer's own memory would be counted
            self.assertLess(capped, cap << 20)
        self.assertEqual((self.folder / "free.tsv").read_text(), (self.folder / "capped.tsv").read_text())

    def test_sizes_that_are_none_are_refused(self):
        self.refused("eval", self.run_folder, "--memory", "much", says="--memory is \"much\", expected a size such as 512M or 2G")

    def test_the_table_stands_above_its_certificate(self):
        table = self.good("eval", self.run_folder).decode()
        for words in ("all ", "tail asked", "head asked", "ties            realistic", "score           cosine of", "graph           content hash", "sha256:"):
            self.assertIn(words, table)
        self.assertNotIn("by relation", table)
        self.assertIn("by distance of the pair", self.good("eval", self.run_folder, "--breakdown").decode())
        self.assertIn("NOT comparable", self.good("eval", self.run_folder, "--protocol", "paper").decode())

    def test_the_page_is_well_formed_and_needs_no_network(self):
        self.good("eval", self.run_folder, "--html", self.folder / "r.html")
        page = (self.folder / "r.html").read_text()
        self.assertIsNone(re.search(r"https?://|<link|src=|url\(", page))
        open_tags = []

        class Checker(html.parser.HTMLParser):
            def handle_starttag(self, tag, attributes):
                if tag != "meta":
                    open_tags.append(tag)

            def handle_startendtag(self, tag, attributes):
                pass

            def handle_endtag(self, tag):
                assert open_tags.pop() == tag, tag

        Checker().feed(page)
        self.assertEqual(open_tags, [])

    def test_embeddings_go_into_no_folder_of_the_users(self):
        self.write("mine/notes.txt", "keep")
        self.refused("eval", self.run_folder, "--embeddings", self.folder / "mine", says="notes.txt, which would not be overwritten")
        self.assertEqual(sorted(f.name for f in (self.folder / "mine").iterdir()), ["notes.txt"])
        for _ in range(2):  # an older one of ours is replaced
            self.good("eval", self.run_folder, "--split", "valid", "--embeddings", self.folder / "ours")
        self.assertEqual(sorted(f.name for f in (self.folder / "ours").iterdir()), ["entities.npy", "entities.txt", "queries.npy", "queries.tsv"])

    def test_compare_says_the_same_of_runs_and_of_their_files(self):
        a, b = self.folder / "a.tsv", self.folder / "b.tsv"
        self.good("eval", self.run_folder, "--ranks", a)
        self.good("eval", self.shared / "other", "--ranks", b)
        runs = json.loads(self.good("compare", self.run_folder, self.shared / "other", "--json"))
        files = json.loads(self.good("compare", a, b, "--json"))
        for part in ("queries", "triples", "a_better", "b_better", "mrr", "hits@1", "hits@10", "relations"):
            self.assertEqual(runs[part], files[part])
        self.assertEqual(len(files["relations"]), 3)
        same = json.loads(self.good("compare", a, a, "--json"))
        self.assertEqual((same["mrr"]["b_minus_a"], same["mrr"]["p"], same["a_better"]), (0, 1, 0))
        self.assertIn("95% interval", self.good("compare", a, b).decode())

    def test_compare_refuses_other_queries_and_other_graphs(self):
        self.good("eval", self.run_folder, "--ranks", self.folder / "a.tsv")
        rows = (self.folder / "a.tsv").read_text().splitlines(keepends=True)
        self.write("short.tsv", "".join(rows[:-1]))
        self.refused("compare", self.folder / "a.tsv", self.folder / "short.tsv", says="do not have the same queries")
        self.write("odd.tsv", "head\ttail\n")
        self.refused("compare", self.folder / "a.tsv", self.folder / "odd.tsv", says="is not a ranks file")
        self.write("other/train.txt", "a\tr\tb\nb\tr\tc\n")
        self.write("other/valid.txt", "a\tr\tc\n")
        self.write("other/test.txt", "c\tr\ta\n")
        self.good("import", self.folder / "other", "--out", self.folder / "graph")
        self.good("train", "--config", self.shared / "c.yaml", "--out", self.folder / "run", "--set", f"graph={self.folder}/graph")
        self.refused("compare", self.run_folder, self.folder / "run", says="different graphs")


if __name__ == "__main__":
    unittest.main(verbosity=2)
