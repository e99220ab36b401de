"""Every family there is, from its config to its answers: trained or fitted on a small graph, opened, evaluated and
asked. The list is the program's own (hasa config), so a new family is tested from its first day."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from tiny_model import write_small_benchmark, write_tiny_bert

PROGRAM = os.path.abspath(os.environ["HASA_PROGRAM"])
ROOT = pathlib.Path(__file__).resolve().parent.parent

# What a family cannot do without: options to set, given the folder in which other families' runs lie.
NEEDS = {
    "fusion": lambda folder: [f"model.parts={folder / 'run-popularity'}, {folder / 'run-complex'}"],
    "rerank": lambda folder: [f"model.parts={folder / 'run-popularity'}, {folder / 'run-complex'}", "model.top=5"],
    "star_ensemble": lambda folder: [f"model.parts={folder / 'run-frozen'}, {folder / 'run-complex'}"],
    "graph_rerank": lambda folder: [f"model.run={folder / 'run-popularity'}"],
}


def hasa(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, timeout=900, text=True, cwd=ROOT)
    assert done.returncode == 0, f"{arguments}: {done.stderr}"
    return done.stdout


def families():
    return re.findall(r"^### model\.type: (\S+)$", hasa("config", "--markdown"), re.MULTILINE)


class EveryFamily(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls._folder = tempfile.TemporaryDirectory(prefix="hasa-families-")
        cls.folder = pathlib.Path(cls._folder.name)
        write_small_benchmark(cls.folder / "benchmark")
        write_tiny_bert(cls.folder / "bert")
        hasa("import", cls.folder / "benchmark", "--out", cls.folder / "graph")
        for family in sorted(families(), key=lambda name: name in NEEDS):
            cls.train(family)

    @classmethod
    def tearDownClass(cls):
        cls._folder.cleanup()

    @classmethod
    def train(cls, family):
        options = {"device": "cpu", "graph": cls.folder / "graph", "model.type": family}
        config = cls.folder / f"{family}.yaml"
        config.write_text(f"model: {{type: {family}}}\n")
        needs = NEEDS.get(family, lambda _: [])(cls.folder)
        shown = hasa("config", "--config", config, *(word for each in needs for word in ("--set", each)))
        if "language_model:" in shown:
            options["language_model.path"] = cls.folder / "bert"
            options["text.max_tokens"] = 24
        if "\ntrain:" in shown:
            options["train.epochs"] = 1
        assignments = [f"{key}={value}" for key, value in options.items()] + needs
        sets = [word for each in assignments for word in ("--set", each)]
        hasa("train", "--config", config, *sets, "--out", cls.folder / f"run-{family}")

    def test_each_is_listed_and_left_a_run(self):
        self.assertIn("frozen", families())
        for family in families():
            self.assertTrue((self.folder / f"run-{family}" / "run.json").is_file(), family)

    def test_each_is_evaluated_with_a_certificate_that_says_what_it_is(self):
        names = set()
        for family in families():
            with self.subTest(family):
                report = json.loads(hasa("eval", self.folder / f"run-{family}", "--json"))
                self.assertEqual(report["all"]["queries"], 2 * len((self.folder / "benchmark/test.txt").read_text().splitlines()))
                self.assertTrue(0 < report["all"]["mrr"] <= 1)
                for key in ("model", "score", "context", "training_graph_at_test", "weights"):
                    self.assertTrue(report["certificate"][key], key)
                names.add(report["certificate"]["model"])
        self.assertEqual(len(names), len(families()), "two families call themselves the same")

    def test_each_scores_the_same_under_a_memory_cap(self):
        for family in families():
            with self.subTest(family):
                whole = json.loads(hasa("eval", self.folder / f"run-{family}", "--json"))["all"]
                capped = json.loads(hasa("eval", self.folder / f"run-{family}", "--json", "--memory", "3G"))["all"]
                self.assertEqual(whole, capped)

    def test_each_tells_true_triples_from_false_ones_and_says_how_those_were_made(self):
        for family in families():
            with self.subTest(family):
                report = json.loads(hasa("classify", self.folder / f"run-{family}", "--json"))
                true_and_false = 2 * len((self.folder / "benchmark/test.txt").read_text().splitlines())
                self.assertEqual(report["all"]["triples"], true_and_false)
                self.assertIn("seed 1", report["certificate"]["false_triples"])

    def test_each_answers_a_question(self):
        head, relation, _ = (self.folder / "benchmark/train.txt").read_text().splitlines()[0].split("\t")
        for family in families():
            with self.subTest(family):
                answers = json.loads(hasa("predict", self.folder / f"run-{family}", "--head", head, "--relation",
                                          relation, "--top", 3, "--json"))
                self.assertEqual(len(answers["answers"]), 3)


class Configs(unittest.TestCase):
    def test_each_that_is_committed_is_read_and_has_nothing_that_its_family_would_not_read(self):
        for config in sorted((ROOT / "configs").glob("*.yaml")):
            if "search" in config.name:
                continue
            with self.subTest(config.name):
                self.assertIn("model:\n  type: ", hasa("config", "--config", config))


if __name__ == "__main__":
    unittest.main(verbosity=2)
