"""hasa report: what runs and studies come to on one page, read by a browser as by a person."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from browser import DESK, PHONE, Browser, find_chromium, is_excused
from tiny_model import write_tiny_bert

PROGRAM = os.path.abspath(os.environ["HASA_PROGRAM"])
CHROMIUM = find_chromium()
STUDIES = ("losses", "embeddings")
WORDS = {"agrees": "confirmed", "mixed": "mixed", "disagrees": "not confirmed"}


def hasa(*arguments):
    return subprocess.run([PROGRAM, "--threads", "1", *map(str, arguments)], capture_output=True, text=True, timeout=600)


def setUpModule():
    if not CHROMIUM and is_excused():
        raise unittest.SkipTest("there is no Chromium: tools/setup.sh installs one on Debian")
    if not CHROMIUM:
        raise RuntimeError("there is no Chromium: apt-get install chromium")


class ReportTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls._folder = tempfile.TemporaryDirectory(prefix="hasa-report-")
        cls.folder = folder = pathlib.Path(cls._folder.name)
        write_tiny_bert(folder / "lm")
        for study in STUDIES:
            model = {"losses": "trials", "embeddings": "recipe"}[study]
            recipe = (f"language_model.path={folder}/lm, model.dim=8, model.context_layers=0, train.epochs=1, train.batch=256, "
                      "loss.beta=0.3")
            options = [f"{part}.set={recipe}" for part in ((model, "runs") if study == "losses" else (model,))]
            done = hasa("study", study, "--size", "tiny", "--out", folder / "studies", "--device", "cpu",
                        *(word for option in options for word in ("--set", option)))
            assert done.returncode == 0, done.stderr
        cls.run_folder = next(each for each in (folder / "studies/runs").iterdir() if (each / "run.json").is_file())
        cls.out = folder / "report.html"
        cls.done = hasa("report", folder / "studies", cls.run_folder, "--out", cls.out)
        assert cls.done.returncode == 0, cls.done.stderr
        cls.browser = Browser(CHROMIUM)

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls._folder.cleanup()

    def open(self, file, size, dark=False):
        page = self.browser.page(size, dark)
        self.addCleanup(page.close)
        page.call("Page.navigate", url=f"file://{file}")
        for _ in range(200):
            if self.value(page, "document.readyState") == "complete" and self.value(page, "location.protocol") == "file:":
                break
            self.browser.messages(0.05)
        return page

    @staticmethod
    def value(page, expression):
        return page.call("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def test_the_page_is_read_without_faults_and_fits_any_width(self):
        for size in (DESK, PHONE):
            for dark in (False, True):
                page = self.open(self.out, size, dark)
                self.assertEqual(page.errors, [])
                self.assertEqual(self.value(page, "document.querySelector('h1').textContent"), "The paper, re-run")
                self.assertLessEqual(self.value(page, "document.documentElement.scrollWidth"), size[0])

    def test_the_claims_are_marked_as_the_studies_found(self):
        found = {}
        for study in STUDIES:
            result = json.loads((self.folder / "studies" / study / "result.json").read_text())
            self.assertEqual(result["size"], "tiny")
            for verdict in result["verdicts"]:
                found.setdefault(verdict["claim"], set()).add(verdict["agreement"])
        page = self.open(self.out, DESK)
        entries = self.value(page, "[...document.querySelector('.entries').children].map(e => [e.firstChild.textContent, e.lastChild.textContent])")
        self.assertEqual(len(entries), 21)
        for name, text in entries:
            number, mark = int(name.split(".")[0]), text.split("\n")[1]
            agreements = found.get(number)
            expected = "not yet run" if not agreements else WORDS[agreements.pop()] if len(agreements) == 1 else "mixed"
            self.assertTrue(mark.lower().startswith(expected), (number, mark))
            self.assertEqual(", on a stand-in" in mark, number in found)
        self.assertIn("Of the paper's 21 claims:", self.done.stdout)

    def test_the_run_stands_with_its_certificate(self):
        page = self.open(self.out, DESK)
        headings = self.value(page, "[...document.querySelectorAll('h2, h3')].map(e => e.textContent)")
        self.assertIn("Certificate", headings)
        self.assertTrue(any(self.run_folder.name == heading for heading in headings), headings)

    def test_the_interactive_map_finds_names_that_are_typed(self):
        page = self.open(self.folder / "studies/embeddings/embeddings.html", DESK)
        self.assertEqual(page.errors, [])
        name = self.value(page, "document.querySelector('svg .mark title').textContent.split(': ')[1]")
        self.value(page, f"const box = document.getElementById('find'); box.value = {json.dumps(name)}; box.dispatchEvent(new Event('input'))")
        hits, of = map(int, self.value(page, "document.getElementById('found').textContent").split(" of "))
        self.assertGreater(hits, 0)
        self.assertLess(hits, of)
        faint = self.value(page, "[...document.querySelectorAll('svg .mark')].filter(e => e.style.opacity).length")
        self.assertEqual(faint, of - hits)

    def test_a_folder_that_holds_neither_is_refused(self):
        done = hasa("report", self.folder / "lm", "--out", self.folder / "none.html")
        self.assertEqual(done.returncode, 2)
        self.assertIn("is neither a run nor a folder of finished studies", done.stderr)
        self.assertFalse((self.folder / "none.html").exists())


if __name__ == "__main__":
    unittest.main()
