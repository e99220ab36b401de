"""hasa study: files of a study, its options, and that what is finished is not computed again."""

import csv
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

PROGRAM = os.path.abspath(os.environ["HASA_PROGRAM"])


def hasa(*arguments):
    return subprocess.run([PROGRAM, "--threads", "1", *map(str, arguments)], capture_output=True, text=True, timeout=600)


class StudyCommand(unittest.TestCase):
    def test_a_study_leaves_data_figures_and_a_verdict_and_is_not_computed_again(self):
        with tempfile.TemporaryDirectory(prefix="hasa-study-") as name:
            out = pathlib.Path(name)
            command = ["study", "false-negatives", "--size", "tiny", "--graph", "synthetic:60:400", "--device", "cpu",
                       "--out", out, "--set", "batches=8, 16"]
            done = hasa(*command)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("with claim 1 (Section 4.1, Figure 1)", done.stdout)
            folder = out / "false-negatives"
            with open(folder / "false_negatives.csv") as file:
                rows = list(csv.DictReader(file))
            self.assertEqual([row["negatives"] for row in rows], ["15", "31"])
            result = json.loads((folder / "result.json").read_text())
            self.assertIn(result["verdicts"][0]["agreement"], ("agrees", "mixed", "disagrees"))
            self.assertIn(result["verdicts"][0]["sentence"], done.stdout)
            self.assertIn("<svg", (folder / "false-negatives-synthetic-60-400.svg").read_text())
            again = hasa(*command)
            self.assertEqual(again.stdout, done.stdout)
            self.assertNotIn("training", again.stderr)
            more = hasa(*command[:-1], "batches=8, 16, 24")
            self.assertEqual(more.returncode, 0, more.stderr)
            self.assertNotIn("training", more.stderr)
            self.assertIn("seed-1-batch-24", more.stderr)

    def test_wrong_names_are_refused_with_what_there_is(self):
        with tempfile.TemporaryDirectory(prefix="hasa-study-") as out:
            wrong = hasa("study", "false-negative", "--out", out)
            self.assertEqual(wrong.returncode, 2)
            self.assertIn("did you mean false-negatives?", wrong.stderr)
            wrong = hasa("study", "all", "--quick", "--out", out, "--set", "seeds=2")
            self.assertEqual(wrong.returncode, 2)
            self.assertIn("STUDY.OPTION=VALUE", wrong.stderr)
        self.assertIn("path-lengths", hasa("study", "--help").stdout)


if __name__ == "__main__":
    unittest.main()
