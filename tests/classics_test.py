"""Models without text, as scripts use them: trained, asked, their ranks computed again, their options searched."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np

PROGRAM = os.path.abspath(os.environ["HASA_PROGRAM"])
ROOT = pathlib.Path(__file__).resolve().parent.parent

CONFIG = """
graph: {graph}
device: cpu
model: {{type: {type}, dim: 16}}
optimiser: {{lr: 0.02, weight_decay: 0}}
train: {{epochs: 12, batch: 64, validate_every: 6}}
"""


def ring(size):
    """next and after_next on a ring: a rule that every one of the models can say."""
    return [(f"e{i}", name, f"e{(i + step) % size}") for name, step in (("next", 1), ("after_next", 2)) for i in range(size)]


class Classics(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls._folder = tempfile.TemporaryDirectory(prefix="hasa-classics-")
        cls.folder = pathlib.Path(cls._folder.name)
        (cls.folder / "ring.tsv").write_text("".join("\t".join(triple) + "\n" for triple in ring(60)))
        cls.run_program("import", cls.folder / "ring.tsv", "--out", cls.folder / "graph", "--valid", 0.1, "--test", 0.1)

    @classmethod
    def tearDownClass(cls):
        cls._folder.cleanup()

    @classmethod
    def run_program(cls, *arguments, code=0):
        done = subprocess.run([PROGRAM, "--threads", "1", *map(str, arguments)], capture_output=True, timeout=900, cwd=ROOT)
        assert done.returncode == code, done.stderr.decode()
        return done.stdout.decode() if code == 0 else done.stderr.decode()

    def config(self, name, type, more=""):
        path = self.folder / f"{name}.yaml"
        path.write_text(CONFIG.format(graph=self.folder / "graph", type=type) + more)
        return path

    def test_each_is_trained_evaluated_and_asked(self):
        for type in ("transe", "distmult", "complex", "rotate", "kbgan"):
            with self.subTest(type):
                run = self.folder / type
                self.run_program("train", "--config", self.config(type, type), "--out", run)
                report = json.loads(self.run_program("eval", run, "--json"))
                self.assertGreater(report["all"]["mrr"], 0)  # that they learn is tested beside them
                answers = self.run_program("predict", run, "--head", "e5", "--relation", "next", "--top", 3)
                self.assertEqual(len([line for line in answers.splitlines() if line.startswith("   ")]), 3)

    def test_ranks_follow_from_the_vectors_that_are_written(self):
        def transe(query, entities):
            return -np.abs(query - entities).sum(1)

        def rotate(query, entities):
            half = query.size // 2
            return -np.hypot((query - entities)[:, :half], (query - entities)[:, half:]).sum(1)

        for type, score in (("transe", transe), ("rotate", rotate)):
            with self.subTest(type):
                run, vectors, ranks = (self.folder / f"{type}-{part}" for part in ("run", "vectors", "ranks.tsv"))
                self.run_program("train", "--config", self.config(type, type), "--out", run)
                self.run_program("eval", run, "--embeddings", vectors, "--ranks", ranks)
                self.check_ranks(vectors, ranks, score)

    def check_ranks(self, vectors, ranks, score):
        entities, queries = (np.load(vectors / f"{name}.npy").astype(np.float64) for name in ("entities", "queries"))
        ids = (vectors / "entities.txt").read_text().split()
        known = {}
        for head, relation, tail in ring(60):
            known.setdefault((head, relation, "tail"), set()).add(tail)
            known.setdefault((tail, relation, "head"), set()).add(head)
        rows = [line.split("\t") for line in ranks.read_text().splitlines()[1:]]
        self.assertEqual(len(rows), len(queries))
        for (head, relation, tail, direction, *_, realistic, _), query in zip(rows, queries):
            given, target = (head, tail) if direction == "tail" else (tail, head)
            scores = score(query, entities)
            own = scores[ids.index(target)]
            rivals = [s for e, s in zip(ids, scores) if e not in known[given, relation, direction]]
            least = 1 + sum(s > own + 1e-4 for s in rivals)
            most = 1 + sum(s >= own - 1e-4 for s in rivals)
            self.assertTrue(least <= float(realistic) <= most, (head, relation, tail, direction))

    def test_a_search_tells_the_best_and_goes_on_without_doing_anything_twice(self):
        config = self.config("search", "complex", "tables: {negatives: {choices: [4, 8]}}\n")
        text = config.read_text().replace("lr: 0.02", "lr: {log_range: [1e-4, 1e-1]}")
        config.write_text(text)
        command = ("search", "--config", config, "--out", self.folder / "search", "--trials", 4, "--halving", 2)
        table = self.run_program(*command)
        self.assertIn("optimiser.lr", table)
        self.assertIn("best.yaml", table)
        journal = (self.folder / "search/search.jsonl").read_text()
        self.assertEqual(len(journal.splitlines()), 4 + 2 + 1)
        self.assertEqual(self.run_program(*command), table)
        self.assertEqual((self.folder / "search/search.jsonl").read_text(), journal)
        self.run_program("train", "--config", self.folder / "search/best.yaml", "--set", "train.epochs=1",
                         "--out", self.folder / "best")

    def test_every_config_of_the_project_is_sound(self):
        """Options are checked before the graph, which is not there."""
        for config in sorted((ROOT / "configs").glob("*.yaml")):
            with self.subTest(config.name):
                command = "search" if "search" in config.name else "train"
                # Where a language model is trained, in a precision that a CPU has.
                precision = ["--set", "language_model.precision=auto"] if "language_model:" in config.read_text() else []
                said = self.run_program(command, "--config", config, "--set", "graph=nowhere", "--set", "device=cpu",
                                        *precision, "--out", self.folder / "no", code=2)
                self.assertIn("nowhere", said)


if __name__ == "__main__":
    unittest.main()
