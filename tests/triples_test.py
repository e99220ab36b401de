"""What reads whole triples, from outside: exact ranks that go on after a kill, samples, a shortlist scored anew, and true
triples told from false ones."""

import csv
import json
import os
import pathlib
import random
import subprocess
import tempfile
import time
import unittest

from tiny_model import write_small_benchmark, write_tiny_bert

PROGRAM = os.path.abspath(os.environ["HASA_PROGRAM"])
SEED = int(os.environ.get("HASA_KILL_SEED", 1))


def hasa(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, timeout=900, text=True)
    assert done.returncode == 0, f"{arguments}: {done.stderr}"
    return done.stdout


def ranks(file):
    with open(file, newline="") as rows:
        return list(csv.reader(rows, delimiter="\t", quoting=csv.QUOTE_NONE))


class Triples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls._folder = tempfile.TemporaryDirectory(prefix="hasa-triples-")
        cls.folder = folder = pathlib.Path(cls._folder.name)
        write_small_benchmark(folder / "benchmark", entities=150, triples=400)
        write_tiny_bert(folder / "bert")
        hasa("import", folder / "benchmark", "--out", folder / "graph")
        for family, options in (("kgbert", {"train.validate_queries": 2}), ("popularity", {})):
            (folder / f"{family}.yaml").write_text(f"model: {{type: {family}}}\n")
            options |= {"graph": folder / "graph", "device": "cpu"}
            if family == "kgbert":
                options |= {"language_model.path": folder / "bert", "text.max_tokens": 24, "train.epochs": 1}
            sets = [word for key, value in options.items() for word in ("--set", f"{key}={value}")]
            hasa("train", "--config", folder / f"{family}.yaml", *sets, "--out", folder / family)
        hasa("eval", folder / "kgbert", "--ranks", folder / "whole.tsv")

    @classmethod
    def tearDownClass(cls):
        cls._folder.cleanup()

    def test_an_evaluation_killed_at_any_moment_goes_on_to_the_same_ranks(self):
        rng = random.Random(SEED)
        kept = self.folder / "kgbert/ranks-test.part"
        kept.unlink(missing_ok=True)  # what samples left
        stopped = 0
        for kill in range(4):
            running = subprocess.Popen([PROGRAM, "eval", self.folder / "kgbert"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while running.poll() is None and not kept.exists():
                time.sleep(0.005)
            time.sleep(rng.uniform(0, 0.3) if kill > 0 else 0)
            stopped += running.poll() is None
            running.kill()
            running.wait()
        self.assertGreater(stopped, 0, f"HASA_KILL_SEED={SEED}")
        hasa("eval", self.folder / "kgbert", "--ranks", self.folder / "again.tsv")
        self.assertEqual(ranks(self.folder / "again.tsv"), ranks(self.folder / "whole.tsv"), f"HASA_KILL_SEED={SEED}")
        self.assertFalse(kept.exists())  # all is ranked: nothing is left to go on with

    def test_a_sample_is_part_of_the_whole_and_says_so(self):
        file = self.folder / "sample.tsv"
        report = json.loads(hasa("eval", self.folder / "kgbert", "--sample", 11, "--ranks", file, "--json"))
        self.assertEqual(report["all"]["queries"], 11)
        self.assertIn("of a sample: 11 of the 20 queries", report["certificate"]["protocol"])
        self.assertRegex(report["certificate"]["sample"], r"seed 1\), never candidates; H@10 lies in [\d.]+-[\d.]+")
        self.assertIn("tokens/s", report["certificate"]["speed"])
        whole = {tuple(row) for row in ranks(self.folder / "whole.tsv")}
        self.assertLess({tuple(row) for row in ranks(file)}, whole)
        larger = json.loads(hasa("eval", self.folder / "kgbert", "--sample", 15, "--json"))
        self.assertEqual(larger["certificate"]["kept"], "11 of the ranks were found by earlier calls")

    def test_a_shortlist_scored_anew_is_called_that(self):
        config = self.folder / "rerank.yaml"
        config.write_text("model: {type: rerank, top: 10}\n")
        hasa("train", "--config", config, "--set", f"graph={self.folder / 'graph'}", "--set", "device=cpu",
             "--set", f"model.parts={self.folder / 'popularity'}, {self.folder / 'kgbert'}", "--out", self.folder / "rerank")
        report = json.loads(hasa("eval", self.folder / "rerank", "--json"))
        self.assertIn("RE-RANKED: kgbert scores 10 of them per query", report["certificate"]["candidates"])
        self.assertIn("of its part kgbert", report["certificate"]["weights"])
        # Below the shortlist nothing has moved.
        first = json.loads(hasa("eval", self.folder / "popularity", "--json"))
        self.assertLess(abs(report["all"]["mr"] - first["all"]["mr"]), 10)

    def test_any_run_tells_triples_from_false_ones(self):
        for run in ("kgbert", "popularity"):
            report = json.loads(hasa("classify", self.folder / run, "--json"))
            self.assertEqual(report["all"]["triples"], 20)  # ten, and one false of each
            low, high = report["all"]["interval"]
            self.assertLessEqual(low, report["all"]["accuracy"])
            self.assertLessEqual(report["all"]["accuracy"], high)
            self.assertEqual(sum(each["triples"] for each in report["relations"]), 20)
            self.assertIn("seed 1", report["certificate"]["false_triples"])
            self.assertEqual(report, json.loads(hasa("classify", self.folder / run, "--json")))


if __name__ == "__main__":
    unittest.main(verbosity=2)
