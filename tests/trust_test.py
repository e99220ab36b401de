"""How far answers are to be trusted, and what leaves the program for others: probabilities and what they are worth,
unseen entities beside the others, scores of given triples, likely links, exported vectors."""

import csv
import json
import re
import shutil
import tempfile
import unittest
from pathlib import Path

import numpy as np

from cli_test import Case, hasa
from tiny_model import read_safetensors


def rows_of(text):
    return list(csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))


class Trust(Case):
    @classmethod
    def setUpClass(cls):
        cls._shared = tempfile.TemporaryDirectory(prefix="hasa-trust-")
        shared = cls.shared = Path(cls._shared.name)
        cls.graph, cls.run_folder = shared / "graph", shared / "run"
        for command in (["import", "synthetic:400:6000", "--valid", "0.1", "--test", "0.1", "--unseen", "0.02", "--out", cls.graph],
                        ["train", "--out", cls.run_folder, "--set", f"graph={cls.graph}", "--set", "device=cpu", "--set",
                         "model.type=distmult", "--set", "model.dim=32", "--set", "train.epochs=12", "--set", "train.batch=256"],
                        ["train", "--out", shared / "counts", "--set", f"graph={cls.graph}", "--set", "device=cpu", "--set",
                         "model.type=popularity"]):
            done = hasa(*command)
            assert done.returncode == 0, done.stderr.decode()
        cls.test = [line.split("\t") for line in cls.exported_split("test")]

    @classmethod
    def exported_split(cls, split):
        if not (cls.shared / "text").exists():
            assert hasa("export", cls.graph, "--format", "benchmark", "--out", cls.shared / "text").returncode == 0
        return (cls.shared / f"text/{split}.txt").read_text().splitlines()

    @classmethod
    def tearDownClass(cls):
        cls._shared.cleanup()

    def test_probabilities_come_true_about_as_often_as_they_say_and_are_kept_with_the_run(self):
        run = self.folder / "run"
        shutil.copytree(self.run_folder, run)
        (run / "calibration.json").unlink(missing_ok=True)
        report = json.loads(self.good("eval", run, "--json", "--html", self.folder / "r.html"))
        found = report["calibration"]
        self.assertLess(found["expected_calibration_error"], 0.05)
        self.assertLess(found["brier"], found["brier_of_base_rate"])
        self.assertEqual(sum(each["answers"] for each in found["bins"]), found["answers"])
        kept = (run / "calibration.json").read_bytes()
        self.assertIn(b"reliability", (self.folder / "r.html").read_bytes())
        again = json.loads(self.good("eval", run, "--json"))
        self.assertEqual(again["calibration"], found)
        self.assertEqual((run / "calibration.json").read_bytes(), kept)
        (run / "calibration.json").write_bytes(kept.replace(b"weights", b"weighty"))
        done = hasa("eval", run, "--json")
        self.assertIn(b"calibration.json is damaged and passed over", done.stderr)
        self.assertEqual((json.loads(done.stdout)["calibration"], (run / "calibration.json").read_bytes()), (found, kept))

    def test_queries_about_unseen_entities_stand_beside_the_others(self):
        report = json.loads(self.good("eval", self.run_folder, "--json"))
        seen = {entity for line in self.exported_split("train") for entity in line.split("\t")[::2]}
        about = 2 * sum(head not in seen or tail not in seen for head, _, tail in self.test)
        self.assertGreater(about, 20)
        self.assertEqual((report["unseen"]["queries"], report["seen"]["queries"]), (about, 2 * len(self.test) - about))
        whole = sum(report[part]["mrr"] * report[part]["queries"] for part in ("unseen", "seen")) / report["all"]["queries"]
        self.assertAlmostEqual(whole, report["all"]["mrr"], 12)
        self.assertIn("about unseen entities", self.good("eval", self.run_folder).decode())

    def test_scores_of_given_triples_have_the_ranks_of_evaluation(self):
        triples = self.write("t.tsv", "".join("\t".join(row) + "\n" for row in self.test))
        scored = rows_of(self.good("score", self.run_folder, "--triples", triples).decode())
        self.good("eval", self.run_folder, "--ranks", self.folder / "r.tsv")
        ranks = {(row["head"], row["relation"], row["tail"], row["direction"]): float(row["optimistic"])
                 for row in rows_of((self.folder / "r.tsv").read_text())}
        self.assertEqual(len(scored), len(self.test))
        for row, triple in zip(scored, self.test):
            self.assertEqual([row["head"], row["relation"], row["tail"]], triple)
            for column, direction in (("rank_of_tail", "tail"), ("rank_of_head", "head")):
                # Evaluation counts the query's own entity among the candidates; an answer is never the entity given.
                self.assertIn(ranks[(*triple, direction)] - int(row[column]), (0, 1))
            self.assertTrue(0 < float(row["probability"]) < 1)
            self.assertEqual(row["known"], "test")
        self.good("score", self.run_folder, "--triples", triples, "--out", self.folder / "s.jsonl")
        lines = [json.loads(line) for line in (self.folder / "s.jsonl").read_text().splitlines()]
        self.assertEqual([each["rank_of_head"] for each in lines], [int(row["rank_of_head"]) for row in scored])

    def test_triples_that_cannot_be_scored_are_refused_with_their_line(self):
        good = "\t".join(self.test[0]) + "\n"
        for text, says in ((good + "nobody\tr\tx\n", "t.tsv:2: "), (good + "\n" + "a\tb\n", "t.tsv:3: expected head, relation and tail"),
                           ("", "holds no triples")):
            self.refused("score", self.run_folder, "--triples", self.write("t.tsv", text), says=says)
        self.refused("score", self.run_folder, "--triples", self.write("t.tsv", good), "--out", self.folder / "x.csv", says="expected .tsv")

    def test_likely_links_are_new_and_the_likeliest_first(self):
        out = self.folder / "links.tsv"
        self.good("links", self.run_folder, "--top", 200, "--out", out)
        rows = rows_of(out.read_text())
        self.assertEqual(len(rows), 200)
        known = {line for split in ("train", "valid", "test") for line in self.exported_split(split)}
        chances = [float(row["probability"]) for row in rows]
        self.assertEqual(chances, sorted(chances, reverse=True))
        for row in rows:
            self.assertNotIn("\t".join((row["head"], row["relation"], row["tail"])), known)
        relation = rows[0]["relation"]
        self.good("links", self.run_folder, "--relation", relation, "--top", 30, "--out", self.folder / "one.jsonl")
        lines = [json.loads(line) for line in (self.folder / "one.jsonl").read_text().splitlines()]
        self.assertEqual({each["relation"] for each in lines}, {relation})
        best = [row for row in rows if row["relation"] == relation][:30]
        self.assertEqual([each["tail"]["id"] for each in lines][:len(best)], [row["tail"] for row in best])

    def test_links_as_ntriples_have_a_confidence_and_assert_nothing(self):
        out = self.folder / "links.nt"
        self.good("links", self.run_folder, "--top", 5, "--out", out)
        lines = out.read_text().splitlines()
        self.assertEqual(len(lines), 25)
        self.assertEqual(sum("#Statement> ." in line for line in lines), 5)
        confidences = [float(line.split('"')[1]) for line in lines if "<urn:hasa:confidence>" in line]
        self.assertEqual(confidences, sorted(confidences, reverse=True))
        self.assertTrue(all(line.startswith("_:prediction") and line.endswith(" .") for line in lines))

    def test_a_search_that_ran_out_of_time_goes_on_where_it_was(self):
        whole, parts = self.folder / "whole.tsv", self.folder / "parts.tsv"
        self.good("links", self.run_folder, "--top", 50, "--out", whole)
        asked = []
        for _ in range(4):
            done = hasa("links", self.run_folder, "--top", 50, "--out", parts, "--minutes", 1e-9)
            self.assertEqual(done.returncode, 0, done.stderr.decode())
            asked.append(int(re.search(rb"(\d+) of \d+ questions were asked", done.stderr)[1]))
        self.assertEqual(asked, sorted(set(asked)))  # further each time
        self.good("links", self.run_folder, "--top", 50, "--out", parts)
        self.assertFalse((self.folder / "parts.tsv.part").exists())
        self.assertEqual(parts.read_text(), whole.read_text())

    def test_exported_vectors_are_those_of_evaluation(self):
        self.good("eval", self.run_folder, "--embeddings", self.folder / "vectors")
        expected = np.load(self.folder / "vectors/entities.npy")
        for form in ("npy", "safetensors", "faiss"):
            done = hasa("export", self.run_folder, "--format", form, "--out", self.folder / form)
            if b"built without FAISS" in done.stderr:
                continue
            self.assertEqual(done.returncode, 0, done.stderr.decode())
            self.assertEqual((self.folder / form / "entities.txt").read_text(), (self.folder / "vectors/entities.txt").read_text())
            self.assertEqual(json.loads((self.folder / form / "about.json").read_text())["dim"], 32)
        np.testing.assert_array_equal(np.load(self.folder / "npy/entities.npy"), expected)
        tensors, about = read_safetensors(self.folder / "safetensors/entities.safetensors")
        self.assertEqual(tensors["entities"][:2], ("F32", list(expected.shape)))
        self.assertEqual(tensors["entities"][2], expected.tobytes())
        self.assertIn("dot product", about["score"])

    def test_what_a_run_does_not_have_is_not_exported(self):
        out = self.folder / "out"
        self.refused("export", self.shared / "counts", "--format", "npy", "--out", out, says="has no vector for each entity")
        self.refused("export", self.run_folder, "--format", "sentence-transformers", "--out", out, says="trained no language model")
        self.refused("export", self.run_folder, "--format", "turtle", "--out", out, says="expected npy, safetensors, faiss or sentence-transformers")
        self.assertFalse(out.exists())
        self.write("mine/notes.txt", "keep")
        self.refused("export", self.run_folder, "--format", "npy", "--out", self.folder / "mine", says="not empty")
        self.assertEqual([f.name for f in (self.folder / "mine").iterdir()], ["notes.txt"])

    def test_indexes_are_measured_against_exact_search(self):
        trials = json.loads(self.good("index", self.run_folder, "--compare", self.folder / "indexes", "--queries", 50, "--json"))
        found = {each["index"]: each for each in trials}
        self.assertEqual(found["exact"]["recall@10"], 1)
        self.assertGreater(found["mapped, f16"]["recall@10"], 0.95)
        self.assertLess(found["mapped, i8"]["bytes"], found["mapped, f16"]["bytes"])
        if "IVF, f32" in found:
            self.assertGreaterEqual(found["IVF, f32"]["recall@10"], 0.95)
        self.refused("index", self.shared / "counts", says="nothing to index")

    def test_a_run_with_an_index_is_asked_by_it_and_answers_alike(self):
        run = self.folder / "run"
        shutil.copytree(self.run_folder, run)
        arguments = ["links", run, "--top", 300, "--any-entity", "--out"]
        self.good(*arguments, self.folder / "exact.tsv")
        done = hasa("index", run, "--recall", 1)
        if b"built without FAISS" in done.stderr:
            self.skipTest("built without FAISS (libfaiss-dev)")
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.good(*arguments, self.folder / "indexed.tsv")
        exact, indexed = (rows_of((self.folder / name).read_text()) for name in ("exact.tsv", "indexed.tsv"))
        links = [{(row["head"], row["relation"], row["tail"]) for row in rows} for rows in (exact, indexed)]
        self.assertGreater(len(links[0] & links[1]), 0.95 * len(exact))
        index = run / "index/index.faiss"
        index.write_bytes(index.read_bytes()[:-9] + b"\xff" * 9)
        done = hasa(*arguments, self.folder / "again.tsv")
        self.assertIn(b"index is not used: it was damaged", done.stderr)
        self.assertEqual((self.folder / "again.tsv").read_text(), (self.folder / "exact.tsv").read_text())


if __name__ == "__main__":
    unittest.main(verbosity=2)
