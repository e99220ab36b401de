"""A graph grows (hasa import --add) and runs trained on it before are asked over it, evaluated and resumed."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np
from tiny_model import read_safetensors, write_small_benchmark, write_tiny_bert

PROGRAM = os.path.abspath(os.environ["HASA_PROGRAM"])
ROOT = pathlib.Path(__file__).resolve().parent.parent

# f0 comes with a text, f1 without one, and with them a relation; e3 gets another text.
MORE = "f0\tr0\te1\ne2\tmade by\tf0\nf1\tr1\tf0\n"
TEXTS = "f0\tnew thing\ta shiny and new one\ne3\tthing three\tquite another one\n"

RUNS = {
    "frozen": ["model.dim=8", "train.batch=32"],
    "text": ["model.dim=8", "train.batch=16"],
    "complex": ["model.dim=8", "train.batch=32"],
    "rules": ["model.min_support=1"],
}


def run(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, timeout=900, text=True, cwd=ROOT)


def hasa(*arguments):
    done = run(*arguments)
    assert done.returncode == 0, f"{arguments}: {done.stderr}"
    return done.stdout


def sets(assignments):
    return [word for each in assignments for word in ("--set", each)]


def vectors(file, name):
    _, shape, raw = read_safetensors(file)[0][name]
    return np.frombuffer(raw, np.float32).reshape(shape)


class GrownGraph(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls._folder = tempfile.TemporaryDirectory(prefix="hasa-grown-")
        cls.folder = pathlib.Path(cls._folder.name)
        write_small_benchmark(cls.folder / "benchmark")
        write_tiny_bert(cls.folder / "bert")
        (cls.folder / "more.tsv").write_text(MORE)
        (cls.folder / "texts.tsv").write_text(TEXTS)
        hasa("import", cls.folder / "benchmark", "--out", cls.folder / "graph")
        for family in RUNS:
            cls.train(family, cls.folder / "graph", cls.folder / family)
        hasa("import", "--add", cls.folder / "graph", cls.folder / "more.tsv", "--text", cls.folder / "texts.tsv",
             "--out", cls.folder / "grown")

    @classmethod
    def tearDownClass(cls):
        cls._folder.cleanup()

    @classmethod
    def train(cls, family, graph, out):
        config = cls.folder / f"{family}.yaml"
        config.write_text(f"model: {{type: {family}}}\n")
        options = ["device=cpu", f"graph={graph}", *RUNS[family]]
        if family != "rules":
            options.append("train.epochs=2")
        if family in ("frozen", "text"):
            options += [f"language_model.path={cls.folder / 'bert'}", "text.max_tokens=24"]
        done = run("train", "--config", config, *sets(options), "--out", out)
        assert done.returncode == 0, done.stderr
        return done

    def certificate(self, family, *options):
        return json.loads(hasa("eval", self.folder / family, "--json", *options))["certificate"]

    def test_1_each_run_answers_and_is_evaluated_over_the_grown_graph(self):
        for family in RUNS:
            with self.subTest(family):
                graph = ["--graph", self.folder / "grown"]
                now = self.certificate(family, *graph)
                self.assertIn(json.loads((self.folder / family / "run.json").read_text())["graph_hash"], now["trained_on"])
                self.assertIn("2 entities and 1 relation came since, 1 text changed", now["trained_on"])
                self.assertIn("all 42 entities", now["candidates"])
                self.assertIn("f0", hasa("predict", self.folder / family, *graph, "--head", "e1", "--relation", "r0",
                                         "--top", 42, "--json"))
                asked = run("predict", self.folder / family, *graph, "--head", "f0", "--relation", "made by")
                self.assertEqual(asked.returncode, 0, asked.stderr)
                self.assertIn("was trained on graph", asked.stderr)

    def test_1_triples_are_scored_and_links_found_over_it(self):
        graph = ["--graph", self.folder / "grown"]
        (self.folder / "asked.tsv").write_text("f0\tmade by\te4\ne1\tr0\tf1\n")
        rows = hasa("score", self.folder / "complex", *graph, "--triples", self.folder / "asked.tsv").splitlines()
        self.assertGreaterEqual(len(rows), 2)
        hasa("links", self.folder / "complex", *graph, "--top", 5, "--out", self.folder / "links.tsv")
        self.assertTrue((self.folder / "links.tsv").read_text())

    def test_2_only_new_and_changed_texts_are_read_again(self):
        done = run("import", "--add", self.folder / "graph", self.folder / "more.tsv", "--text", self.folder / "texts.tsv",
                   "--out", self.folder / "again")
        self.assertIn("can be asked with --graph", done.stderr)
        # The embeddings of the first graph came along.
        said = self.train("frozen", self.folder / "again", self.folder / "fresh").stderr
        self.assertIn("the graph has grown: 3 of 42 texts are encoded", said)
        self.assertEqual(len(list((self.folder / "again").glob("texts-*.safetensors"))), 1)
        for file in (self.folder / "again").glob("texts-*"):
            file.unlink()
        self.train("frozen", self.folder / "again", self.folder / "whole")  # reads all
        for part in ("entities", "relations"):
            taken = vectors(self.folder / "fresh/text.safetensors", part)
            whole = vectors(self.folder / "whole/text.safetensors", part)
            self.assertEqual(taken.shape, whole.shape)
            self.assertLess(np.abs(taken - whole).max(), 1e-5, part)
        old, now = (vectors(self.folder / name / "text.safetensors", "entities") for name in ("frozen", "fresh"))
        changed = np.flatnonzero(np.abs(old - now[:40]).max(axis=1))
        self.assertEqual(list(changed), [self.ids().index("e3")])

    def ids(self):
        """Entities in the order of their numbers."""
        hasa("export", self.folder / "complex", "--format", "npy", "--out", self.folder / "vectors")
        return (self.folder / "vectors/entities.txt").read_text().split()

    def test_3_each_run_goes_on_on_the_grown_graph(self):
        for family in RUNS:
            with self.subTest(family):
                graph = f"graph={self.folder / 'grown'}"
                if family != "rules":
                    done = run("train", "--resume", self.folder / family, "--set", graph)
                    self.assertEqual(done.returncode, 2)
                    self.assertIn("--set train.epochs=3", done.stderr)
                more = [] if family == "rules" else ["train.epochs=3"]
                hasa("train", "--resume", self.folder / family, *sets([graph, *more]))
                certificate = self.certificate(family)  # its own graph is the grown one now
                self.assertIn("all 42 entities", certificate["candidates"])
                self.assertTrue(certificate["trained_on"].startswith("this graph; before it grew graph"))
                refused = run("eval", self.folder / family, "--graph", self.folder / "graph")
                self.assertEqual(refused.returncode, 2)
                self.assertIn("the graph has changed since", refused.stderr)

    def test_4_a_graph_that_is_extended_in_place_needs_no_option(self):
        hasa("import", self.folder / "benchmark", "--out", self.folder / "place")
        self.train("complex", self.folder / "place", self.folder / "run")
        hasa("import", "--add", self.folder / "place", self.folder / "more.tsv")
        self.assertIn("f0", hasa("predict", self.folder / "run", "--head", "e1", "--relation", "r0", "--top", 42))
        hasa("train", "--resume", self.folder / "run", "--set", "train.epochs=3")

    def test_5_an_unrelated_graph_is_refused(self):
        write_small_benchmark(self.folder / "other", seed=2)
        hasa("import", self.folder / "other", "--out", self.folder / "unrelated")
        refused = run("predict", self.folder / "complex", "--graph", self.folder / "unrelated", "--head", "e1", "--relation", "r0")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("the graph has changed since", refused.stderr)


if __name__ == "__main__":
    unittest.main()
