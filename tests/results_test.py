"""docs/results.md is what tools/make_results.py makes of results/, and says of a run what its config says."""
import json
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import make_results  # noqa: E402


def named(kind, beta, tau, back="false"):
    run = make_results.Run.__new__(make_results.Run)
    run.name = "x"
    run.options = {"loss.kind": kind, "loss.beta": beta, "loss.tau": tau, "loss.tail_to_query": back}
    return make_results.loss_name(run)


class TheNameOfARow(unittest.TestCase):
    def test_is_hasa_only_where_negatives_are_weighed_and_the_correction_is_on(self):
        self.assertEqual(named("hasa", "0.1", "2e-05"), "HaSa")
        self.assertEqual(named("hasa", "1", "2e-05", "true"), "HaSa+")
        for beta, tau in (("0", "2e-05"), ("1", "0"), ("0", "0")):
            self.assertNotIn("HaSa", named("hasa", beta, tau, "true"))

    def test_says_what_ran_where_it_is_not_hasa(self):
        self.assertEqual(named("hasa", "0", "2e-05"), "Simple InfoNCE with the structure correction")
        self.assertEqual(named("hasa", "1", "0"), "Hard InfoNCE")
        self.assertEqual(named("hard", "0", "2e-05"), "Simple InfoNCE")
        self.assertEqual(named("simple", "1", "2e-05", "true"), "Simple InfoNCE + tail-to-query")


class ThePage(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        shutil.copytree(ROOT / "results", self.folder / "results")
        self.results = self.folder / "results"
        self.form = (self.results / "page.md").read_text()

    def tearDown(self):
        shutil.rmtree(self.folder)

    def made(self, form=None):
        return make_results.Results(self.results).page(form or self.form)

    def test_is_what_its_files_make(self):
        self.assertEqual((ROOT / "docs" / "results.md").read_text(), self.made(), "run tools/make_results.py")

    def test_changes_with_a_run(self):
        file = self.results / "wn18rr_transe" / "eval.json"
        evaluation = json.loads(file.read_text())
        evaluation["all"]["mrr"] += 0.01
        file.write_text(json.dumps(evaluation))
        self.assertNotEqual((ROOT / "docs" / "results.md").read_text(), self.made())

    def test_takes_no_figure_typed_by_hand(self):
        with self.assertRaisesRegex(make_results.Wrong, r"\.999"):
            self.made(self.form + "\nIt reaches .999.\n")

    def test_leaves_out_no_run(self):
        shutil.copytree(self.results / "wn18rr_transe", self.results / "forgotten")
        with self.assertRaisesRegex(make_results.Wrong, "forgotten"):
            self.made()

    def test_averages_only_what_differs_in_its_seed(self):
        with self.assertRaisesRegex(make_results.Wrong, "train.epochs"):
            self.made(self.form.replace("wn18rr_joint_60s\n", "wn18rr_joint, wn18rr_joint_60s\n", 1))

    def test_links_to_what_is_there(self):
        for target in re.findall(r"\]\((\.\./[^)#]*)\)", self.made()):
            self.assertTrue((ROOT / "docs" / target).exists(), target)


class PagesWrittenByHand(unittest.TestCase):
    def test_have_no_figure_that_the_results_lack(self):
        results = (ROOT / "docs" / "results.md").read_text()
        for page in ("README.md", "docs/models.md"):
            prose = re.sub(r"```.*?```", "", (ROOT / page).read_text(), flags=re.S)  # blocks show what a program prints
            figures = set(re.findall(r"(?<![\w.])\.\d{3}\b", prose))
            self.assertGreater(len(figures), 3, page)
            self.assertEqual(sorted(figure for figure in figures if figure not in results), [], page)


if __name__ == "__main__":
    unittest.main()
