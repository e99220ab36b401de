"""The Python package, as its users have it: it must say what the program says, share memory, and stop when it is told to."""

import ast
import gc
import json
import os
import pathlib
import runpy
import signal
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest

import numpy as np

from cli_test import ROOT, hasa as program
from tiny_model import write_small_benchmark, write_tiny_bert

BUILD = pathlib.Path(os.environ["HASA_BUILD"]) / "python"
sys.path.insert(0, str(BUILD))
import hasa  # noqa: E402
from hasa import _hasa, _load  # noqa: E402

SEVERAL = [("e1", "likes", None), ("e7", "knows", None), (None, "is part of", "e3"), ("e2", "reverse of likes", None)]


def json_of(*arguments):
    done = program(*arguments, "--json")
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


class PythonCase(unittest.TestCase):
    """One graph and one run for all; they are not written to."""

    @classmethod
    def setUpClass(cls):
        cls._folder = tempfile.TemporaryDirectory(prefix="hasa-python-")
        cls.folder = pathlib.Path(cls._folder.name)
        hasa.set_verbosity("off")  # these runs are too short to learn from, and it says so
        write_tiny_bert(cls.folder / "lm")
        write_small_benchmark(cls.folder / "bench")
        cls.graph = hasa.import_graph(cls.folder / "bench", cls.folder / "graph")
        cls.run_ = cls.train("run")

    @classmethod
    def tearDownClass(cls):
        cls._folder.cleanup()

    @classmethod
    def options(cls, **more):
        return {"device": "cpu", "model": {"dim": 16}, "train.epochs": 4, "train.batch": 48,
                "language_model.path": cls.folder / "lm", **more}

    @classmethod
    def train(cls, name, options=None, **more):
        return hasa.train(cls.options(**(options or {})), graph=cls.graph, out=cls.folder / name, **more)


class Answers(PythonCase):
    def agree(self, answers, document):
        """With what `hasa predict --json` prints."""
        self.assertEqual([(a.id, a.name, a.known) for a in answers],
                         [(a["id"], a["name"], a["known"]) for a in document["answers"]])
        np.testing.assert_allclose([a.score for a in answers], [a["score"] for a in document["answers"]], rtol=1e-6)
        for mine, theirs in zip(answers, document["answers"]):
            self.assertEqual(mine.probability, theirs.get("probability"))

    def test_are_those_of_the_program(self):
        run = self.folder / "run"
        self.agree(self.run_.predict(head="thing 1", relation="likes", top=7),
                   json_of("predict", run, "--head", "thing 1", "--relation", "likes", "--top", "7"))
        self.agree(self.run_.predict(relation="is part of", tail="e3"),
                   json_of("predict", run, "--relation", "is part of", "--tail", "e3"))
        self.agree(self.run_.predict(head="e1", relation="reverse of knows", new_only=True),
                   json_of("predict", run, "--head", "e1", "--relation", "reverse of knows", "--new-only"))

    def test_about_texts_that_were_never_seen_are_those_of_the_program(self):
        text = "thing 77: a red and quiet one"
        self.agree(self.run_.predict(head_text=text, relation="likes"),
                   json_of("predict", self.folder / "run", "--head-text", text, "--relation", "likes"))
        self.agree(self.run_.predict(tail_text=text, relation="likes"),
                   json_of("predict", self.folder / "run", "--tail-text", text, "--relation", "likes"))

    def test_to_many_questions_are_those_to_each(self):
        together = self.run_.predict_many([*SEVERAL, {"head": "e4", "tail": "e5"}], top=5)
        apart = [self.run_.predict(*question, top=5) for question in [*SEVERAL, ("e4", None, "e5")]]
        for mine, theirs in zip(together, apart, strict=True):
            self.assertEqual([a.id for a in mine], [a.id for a in theirs])
            np.testing.assert_allclose([a.score for a in mine], [a.score for a in theirs], rtol=1e-5)
        self.assertEqual({a.name for a in together[-1]}, {"likes", "knows", "is part of"})

    def test_have_the_score_that_the_triple_has_by_itself(self):
        best = self.run_.predict(head="e1", relation="likes", top=3)
        judged = self.run_.score([("e1", "likes", answer.id) for answer in best])
        np.testing.assert_allclose([j.score for j in judged], [a.score for a in best], rtol=1e-5)
        self.assertEqual([j.known for j in judged], [a.known for a in best])

    def test_have_probabilities_once_the_run_is_calibrated(self):
        triples = self.folder / "all.tsv"
        triples.write_text("".join((self.folder / "bench" / f"{split}.txt").read_text() for split in ("train", "valid", "test")))
        graph = hasa.import_graph(triples, self.folder / "much-to-validate", valid=0.4)
        run = hasa.train(self.options(), graph=graph, out=self.folder / "calibrated")
        self.assertIsNone(run.predict(head="e1", relation="r1")[0].probability)
        self.assertTrue(run.calibrate())
        answers = run.predict(head="e1", relation="r1", new_only=True)
        self.assertTrue(all(0 <= answer.probability <= 1 for answer in answers))
        self.agree(answers, json_of("predict", self.folder / "calibrated", "--head", "e1", "--relation", "r1", "--new-only"))

    def test_are_the_same_from_several_threads(self):
        alone = [self.run_.predict(*question) for question in SEVERAL]
        found = {}

        def ask(which):
            found[which] = [self.run_.predict(*SEVERAL[which]) for _ in range(20)]

        threads = [threading.Thread(target=ask, args=(which,)) for which in range(len(SEVERAL))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for which, answers in enumerate(alone):
            for again in found[which]:
                self.assertEqual([a.id for a in again], [a.id for a in answers])


class Vectors(PythonCase):
    def test_of_entities_are_the_models_own_memory(self):
        vectors = self.run_.embeddings
        self.assertTrue(np.shares_memory(vectors, self.run_.embeddings))
        self.assertFalse(vectors.flags.writeable)
        self.assertEqual(vectors.shape, (len(self.run_.entities), 16))
        self.assertEqual(program("eval", self.folder / "run", "--embeddings", self.folder / "vectors").returncode, 0)
        np.testing.assert_allclose(vectors, np.load(self.folder / "vectors/entities.npy"), rtol=1e-5, atol=1e-6)

    def test_outlive_their_run(self):
        run = hasa.open(self.folder / "run")
        vectors, triples = run.embeddings, run.graph.triples("test")
        kept = vectors.copy(), triples.copy()
        del run
        gc.collect()
        np.testing.assert_array_equal(vectors, kept[0])
        np.testing.assert_array_equal(triples, kept[1])

    def test_of_texts_are_those_of_the_entities_that_have_them(self):
        run = self.train("texts-alone", {"model": {"dim": 16, "context_layers": 0}})
        vectors = run.encode(f"{entity.name}: {entity.description}" for entity in run.entities)
        np.testing.assert_allclose(vectors, run.embeddings, rtol=1e-4, atol=1e-5)

    def test_are_refused_where_a_model_has_none(self):
        rules = hasa.train({"model.type": "rules"}, graph=self.graph, out=self.folder / "rules")
        with self.assertRaisesRegex(hasa.Error, "no vector for each entity") as refused:
            rules.embeddings
        self.assertEqual(refused.exception.kind, "unavailable")
        self.assertFalse(rules.reads_text)
        with self.assertRaises(hasa.Error):
            rules.predict(head_text="a red thing", relation="likes")


class Training(PythonCase):
    def test_calls_back_after_each_epoch_with_what_it_wrote_down(self):
        heard = []
        run = self.train("heard", on_epoch=heard.append)
        self.assertEqual([epoch["epoch"] for epoch in heard], [1, 2, 3, 4])
        self.assertEqual(heard, run.metrics)
        self.assertGreater(heard[-1]["valid"]["all"]["mrr"], 0)

    def test_stops_where_its_callback_raises_and_goes_on_to_the_same_end(self):
        class Enough(Exception):
            pass

        def stop_after_two(epoch):
            if epoch["epoch"] == 2:
                raise Enough("two will do")

        with self.assertRaisesRegex(Enough, "two will do"):
            self.train("stopped", on_epoch=stop_after_two)
        self.assertEqual([epoch["epoch"] for epoch in hasa.open(self.folder / "stopped").metrics], [1, 2])
        rest = []
        self.train("stopped", resume=True, on_epoch=rest.append)
        self.assertEqual([epoch["epoch"] for epoch in rest], [3, 4])
        weights = "best/model.safetensors"
        self.assertEqual((self.folder / "stopped" / weights).read_bytes(), (self.folder / "run" / weights).read_bytes())

    def test_ends_cleanly_at_ctrl_c(self):
        script = self.folder / "long.py"
        script.write_text(f"import sys; sys.path.insert(0, {str(BUILD)!r})\nimport hasa, json\n"
                          f"hasa.train(json.loads(sys.argv[1]), out={str(self.folder / 'long')!r}, graph={str(self.folder / 'graph')!r},\n"
                          "           on_epoch=lambda epoch: print('epoch', flush=True))\n")
        options = self.options(**{"train.epochs": 100_000, "language_model.path": str(self.folder / "lm")})
        process = subprocess.Popen([sys.executable, script, json.dumps(options)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(process.stdout.readline(), "epoch\n")
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=300)
        self.assertEqual(process.returncode, -signal.SIGINT, said)
        self.assertIn("KeyboardInterrupt: stopped; ", said)
        self.assertTrue(hasa.open(self.folder / "long").metrics)

    def test_takes_a_config_file_as_well(self):
        file = self.folder / "popular.yaml"
        file.write_text("model:\n  type: popularity\n")
        heard = []
        run = hasa.train(file, graph=self.folder / "graph", out=self.folder / "popular", on_epoch=heard.append)
        self.assertEqual(len(heard), 1)
        self.assertEqual(run.metrics, heard)

    def test_lets_other_threads_run(self):
        worker = threading.Thread(target=self.train, args=("beside",), kwargs={"options": {"train.epochs": 60}})
        ticks = 0
        worker.start()
        while worker.is_alive():
            time.sleep(0.002)
            ticks += 1
        self.assertGreater(ticks, 10)

    def test_is_evaluated_as_by_the_program(self):
        mine = hasa.evaluate(self.run_)
        theirs = json_of("eval", self.folder / "run")
        self.assertEqual(mine["all"], theirs["all"])
        self.assertEqual(hasa.evaluate(self.folder / "run", "valid")["split"], "valid")


class Errors(PythonCase):
    def test_are_exceptions_that_say_what_to_do(self):
        cases = [
            (lambda: hasa.open(self.folder / "nowhere"), "data", "nowhere"),
            (lambda: hasa.open_graph(self.folder), "data", "graph"),
            (lambda: self.train("bad", {"train.epoch": 3}), "config", "did you mean train.epochs"),
            (lambda: self.train("bad", {"train.epochs": -3}), "config", "train.epochs"),
            (lambda: self.train("run"), "config", "run"),
            (lambda: self.run_.predict(head="thing 1000", relation="likes"), "data", "thing 1000"),
            (lambda: self.run_.predict(head="e1"), "config", "two of head, relation and tail"),
            (lambda: self.run_.predict(head="e1", relation="likes", tail="e2"), "config", "score"),
            (lambda: self.run_.predict(head="e1", head_text="red", relation="likes"), "config", "not both"),
            (lambda: self.run_.predict(head="e1", relation="likes", top=0), "config", "top"),
            (lambda: self.run_.predict_many([SEVERAL[0], ("e1", "lieks", None)]), "data", "number 2 of 2"),
            (lambda: hasa.evaluate(self.run_, "train"), "config", "valid or test"),
            (lambda: self.graph.triples("tests"), "config", "train, valid or test"),
            (lambda: hasa.import_graph(self.folder / "bench", self.folder / "x", valid=0.1), "config", "its own splits"),
            (lambda: hasa.set_verbosity("loud"), "config", "warning"),
        ]
        for what, kind, says in cases:
            with self.subTest(says), self.assertRaisesRegex(hasa.Error, says) as refused:
                what()
            self.assertEqual(refused.exception.kind, kind, refused.exception)

    def test_in_pythons_own_words_where_a_call_is_malformed(self):
        with self.assertRaisesRegex(TypeError, "a question has no 'haed'"):
            self.run_.predict_many([{"haed": "e1", "relation": "likes"}])
        with self.assertRaisesRegex(TypeError, "expected .head, relation, tail."):
            self.run_.predict_many(["e1"])
        with self.assertRaises(IndexError):
            self.graph.entities[len(self.graph.entities)]

    def test_tell_of_another_torch_before_it_is_mixed_in(self):
        sys.modules["torch"] = types.SimpleNamespace(__version__="2.4.0+cu121")
        try:
            with self.assertRaisesRegex(ImportError, "torch 2.4.0 is loaded in this process already"):
                _load.check_torch()
            sys.modules["torch"].__version__ = _hasa.libtorch_version + "+cu130"
            _load.check_torch()
        finally:
            del sys.modules["torch"]
        self.assertEqual(_load.LIBTORCH, _hasa.libtorch_version)


class Graphs(PythonCase):
    def test_are_those_that_were_imported(self):
        rows = {tuple(line.split("\t")) for line in (self.folder / "bench/test.txt").read_text().splitlines()}
        entities, relations = self.graph.entities, self.graph.relations
        self.assertEqual({(entities[h].id, relations[r].id, entities[t].id) for h, r, t in self.graph.triples("test")}, rows)
        self.assertEqual(len(entities), 40)
        self.assertEqual(entities[-1], entities[39])
        self.assertEqual(entities[2:4], [entities[2], entities[3]])
        self.assertEqual(entities[entities.number("thing 7")].id, "e7")
        self.assertEqual([relation.text for relation in sorted(relations)], ["likes", "knows", "is part of"])
        self.assertEqual(self.graph.audit()["entities"], 40)

    def test_of_files_of_triples_are_split_as_asked(self):
        triples, texts = self.folder / "triples.tsv", self.folder / "texts.tsv"
        triples.write_text("".join((self.folder / "bench" / f"{split}.txt").read_text() for split in ("train", "valid", "test")))
        texts.write_text((self.folder / "bench/entities.tsv").read_text())
        graph = hasa.import_graph(triples, self.folder / "split", text=[texts], valid=0.1, test=0.2, seed=5)
        self.assertAlmostEqual(len(graph.triples("test")) / 180, 0.2, delta=0.02)
        self.assertAlmostEqual(len(graph.triples("valid")) / 180, 0.1, delta=0.02)
        self.assertTrue(graph.entities[0].description.startswith("a "))


class ThePackage(unittest.TestCase):
    def test_has_types_for_all_of_the_module(self):
        stub = ast.parse((BUILD / "hasa/_hasa.pyi").read_text())
        named = {node.name for node in stub.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        made = {name for name, value in vars(_hasa).items() if callable(value)}
        self.assertEqual(named, made)
        self.assertTrue((BUILD / "hasa/py.typed").is_file())

    def test_offers_what_it_names(self):
        for name in hasa.__all__:
            self.assertTrue(getattr(hasa, name).__doc__, name)
        self.assertEqual(hasa.__version__, program("version").stdout.decode().split()[1])

    def test_leaves_the_environment_as_it_was(self):
        done = subprocess.run([sys.executable, "-c", "import os; before = dict(os.environ); import hasa\n"
                               "changed = {k for k in os.environ if before.get(k) != os.environ[k]} | set(before) - set(os.environ)\n"
                               "assert changed <= {'ONEDNN_MAX_CPU_ISA'}, changed"],
                              env={**os.environ, "PYTHONPATH": str(BUILD)}, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr.decode())


class TheExample(unittest.TestCase):
    def test_gives_the_programs_answers(self):
        """Every cell of the example runs; what it asked is then asked of its run by the program."""
        with tempfile.TemporaryDirectory(prefix="hasa-example-") as folder:
            before = os.getcwd()
            os.chdir(folder)
            try:
                ended = runpy.run_path(str(ROOT / "python/examples/feelings.py"))
            finally:
                os.chdir(before)
            run = pathlib.Path(folder) / "runs/feelings"
            asked = json_of("predict", run, "--head", "homesickness", "--relation", "hypernym", "--top", "5")
            self.assertEqual([a.id for a in ended["answers"]], [a["id"] for a in asked["answers"]])
            np.testing.assert_allclose([a.score for a in ended["answers"]], [a["score"] for a in asked["answers"]], rtol=1e-6)
            asked = json_of("predict", run, "--head-text", ended["text"], "--relation", "hypernym", "--top", "5")
            self.assertEqual([a.id for a in ended["guesses"]], [a["id"] for a in asked["answers"]])
            self.assertEqual(ended["scores"]["all"], json_of("eval", run)["all"])


if __name__ == "__main__":
    unittest.main()
