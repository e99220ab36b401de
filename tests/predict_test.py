"""hasa predict beyond single known entities: texts, files of questions, relations, new answers alone."""

import fcntl
import json
import os
import pathlib
import pty
import re
import struct
import subprocess
import tempfile
import termios
import unittest

from tiny_model import write_tiny_bert

PROGRAM = os.path.abspath(os.environ["HASA_PROGRAM"])

TRIPLES = [("dog", "kind_of", "canine"), ("fox", "kind_of", "canine"), ("cat", "kind_of", "feline"), ("lion", "kind_of", "feline"),
           ("canine", "kind_of", "animal"), ("feline", "kind_of", "animal"), ("paw", "part_of", "dog"), ("paw", "part_of", "cat"),
           ("tail", "part_of", "dog"), ("tail", "part_of", "fox"), ("tail", "part_of", "lion")]
TEXTS = {"dog": "barks at night", "fox": "lives in a den", "cat": "catches mice", "lion": "roars", "canine": "has long teeth",
         "feline": "sees in the dark", "animal": "is alive, moves, eats and breathes, and has done so for some six hundred million years", "paw": "a foot", "tail": "wags"}
CONFIG = """
graph: {folder}/graph
device: cpu
language_model: {{path: {folder}/bert, precision: fp32}}
model: {{dim: 16}}
train: {{epochs: 2, batch: 8}}
"""


class Predict(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls._folder = tempfile.TemporaryDirectory(prefix="hasa-predict-")
        cls.folder = pathlib.Path(cls._folder.name)
        write_tiny_bert(cls.folder / "bert")
        (cls.folder / "t.tsv").write_text("".join("\t".join(triple) + "\n" for triple in TRIPLES))
        (cls.folder / "x.tsv").write_text("".join(f"{id}\t{id.title()}\t{text}\n" for id, text in TEXTS.items()))
        cls.program("import", cls.folder / "t.tsv", "--text", cls.folder / "x.tsv", "--out", cls.folder / "graph", "--valid", 0, "--test", 0)
        (cls.folder / "c.yaml").write_text(CONFIG.format(folder=cls.folder))
        cls.program("train", "--config", cls.folder / "c.yaml", "--out", cls.folder / "run")
        (cls.folder / "p.yaml").write_text(f"graph: {cls.folder}/graph\nmodel: {{type: popularity}}\n")
        cls.program("train", "--config", cls.folder / "p.yaml", "--out", cls.folder / "popular")

    @classmethod
    def tearDownClass(cls):
        cls._folder.cleanup()

    @classmethod
    def program(cls, *arguments, code=0):
        done = subprocess.run([PROGRAM, "--threads", "1", *map(str, arguments)], capture_output=True, timeout=600)
        assert done.returncode == code, (done.returncode, done.stderr.decode())
        return done.stdout.decode() if code == 0 else done.stderr.decode()

    def ask(self, *arguments, run="run"):
        return json.loads(self.program("predict", self.folder / run, *arguments, "--json", "--top", 50))

    def refused(self, *arguments, says, run="run"):
        self.assertIn(says, self.program("predict", self.folder / run, *arguments, code=2))

    def test_a_text_is_answered_as_an_entity_would_be(self):
        told = self.ask("--head-text", "Wolf: lives in a den", "--relation", "kind_of")
        self.assertEqual(told["query"], {"head": {"text": "Wolf: lives in a den"}, "relation": {"id": "kind_of", "text": "kind_of"}, "asks": "tail"})
        self.assertEqual({answer["id"] for answer in told["answers"]}, set(TEXTS))
        self.assertEqual({answer["known"] for answer in told["answers"]}, {None})
        self.assertIn("(?, part_of, Wolf)", self.program("predict", self.folder / "run", "--tail-text", "Wolf", "--relation", "part_of"))
        judged = self.ask("--head", "paw", "--relation", "part_of", "--tail-text", "Wolf: lives in a den")
        self.assertEqual(judged["triple"]["tail"], {"text": "Wolf: lives in a den"})
        self.assertTrue(-25 < judged["as_tail"]["score"] < 25)

    def on_terminal(self, columns, *arguments):
        """What the program prints on a terminal of this width."""
        terminal, end = pty.openpty()
        fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        done = subprocess.run([PROGRAM, *map(str, arguments)], stdout=end, stderr=subprocess.PIPE, timeout=600)
        os.close(end)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        text = b""
        try:
            while part := os.read(terminal, 1 << 16):
                text += part
        except OSError:  # Linux's way of saying that nobody has the other end
            pass
        os.close(terminal)
        return text.decode().replace("\r\n", "\n")

    def test_answers_fit_the_terminal(self):
        question = ("predict", self.folder / "run", "--head", "dog", "--relation", "kind_of", "--top", 9)
        def rows(text):
            return [line for line in text.splitlines() if re.match(r" +\d+  ", line)]
        whole = rows(self.program(*question))
        self.assertIn("has done so", next(line for line in whole if "Animal" in line))
        for columns in (40, 60):
            lines = rows(self.on_terminal(columns, *question))
            self.assertEqual([line.split()[:3] for line in lines], [line.split()[:3] for line in whole])
            for line in lines:
                self.assertLessEqual(len(line), columns, line)
            self.assertIn("is alive", next(line for line in lines if "Animal" in line))
        narrow = rows(self.on_terminal(24, *question))
        self.assertEqual([line.split()[:4] for line in narrow], [line.split()[:4] for line in whole])
        self.assertNotIn(" is", " ".join(narrow))  # no description where it would be a few letters

    def test_new_answers_alone_are_those_without_a_mark(self):
        everything = self.ask("--relation", "kind_of", "--tail", "canine")["answers"]
        new = self.ask("--relation", "kind_of", "--tail", "canine", "--new-only")["answers"]
        self.assertEqual({a["id"] for a in everything if a["known"]}, {"dog", "fox"})
        self.assertEqual([a["id"] for a in new], [a["id"] for a in everything if not a["known"]])

    def test_the_relation_between_two_entities_is_asked_with_a_question_mark(self):
        answer = self.ask("--head", "Paw", "--relation", "?", "--tail", "Dog")
        self.assertEqual({a["id"]: a["known"] for a in answer["answers"]}, {"part_of": "train", "kind_of": None})
        scores = {a["id"]: a["score"] for a in answer["answers"]}
        triple = self.ask("--head", "paw", "--relation", "part_of", "--tail", "dog")
        self.assertAlmostEqual(triple["as_tail"]["score"], scores["part_of"], places=4)
        self.refused("--head", "dog", "--relation", "?", says="give --head and --tail")

    def test_a_file_of_questions_is_answered_line_by_line(self):
        queries = self.folder / "q.tsv"
        queries.write_text("Dog\tkind_of\t?\n?\tpart_of\tcat\n\npaw\t?\tdog\nanimal\treverse of kind_of\t?\n")
        self.program("predict", self.folder / "run", "--queries", queries, "--out", self.folder / "a.jsonl", "--top", 50)
        lines = [json.loads(line) for line in (self.folder / "a.jsonl").read_text().splitlines()]
        self.assertEqual([(line["head"], line["relation"], line["tail"]) for line in lines],
                         [("dog", "kind_of", "?"), ("?", "part_of", "cat"), ("paw", "?", "dog"), ("?", "kind_of", "animal")])
        for line, arguments in zip(lines, (("--head", "dog", "--relation", "kind_of"), ("--relation", "part_of", "--tail", "cat"),
                                           ("--head", "paw", "--relation", "?", "--tail", "dog"), ("--relation", "kind_of", "--tail", "animal"))):
            alone = self.ask(*arguments)["answers"]
            self.assertEqual([(a["id"], a["known"]) for a in line["answers"]], [(a["id"], a["known"]) for a in alone])
            for one, other in zip(line["answers"], alone):
                self.assertAlmostEqual(one["score"], other["score"], places=5)

        self.program("predict", self.folder / "run", "--queries", queries, "--out", self.folder / "a.tsv", "--top", 2, "--new-only")
        rows = [line.split("\t") for line in (self.folder / "a.tsv").read_text().splitlines()]
        self.assertEqual(rows[0], ["head", "relation", "tail", "rank", "score", "probability", "known"])
        self.assertEqual(len(rows), 1 + 2 + 2 + 1 + 2)
        self.assertEqual({row[6] for row in rows[1:]}, {""})
        self.assertEqual([row[3] for row in rows[1:3]], ["1", "2"])

    def test_what_is_wrong_with_a_file_of_questions_is_said_with_its_line(self):
        out = self.folder / "never.tsv"
        for text, says in (("dog\tkind_of\t?\ndog\tkind_of\n", "q2.tsv:2: expected head, relation and tail separated by tabs, found 2 fields"),
                           ("dog\tkind_of\tcanine\n", "q2.tsv:1: expected one ? for what is asked, found 0"),
                           ("\n?\tkind_of\t?\n", "q2.tsv:2: expected one ? for what is asked, found 2"),
                           ("dgo\tkind_of\t?\n", "q2.tsv:1: no entity has the id or name \"dgo\"; did you mean"), ("", "asks nothing")):
            (self.folder / "q2.tsv").write_text(text)
            self.refused("--queries", self.folder / "q2.tsv", "--out", out, says=says)
            self.assertFalse(out.exists())
        self.refused("--queries", self.folder / "q2.tsv", says="--queries needs --out")
        self.refused("--queries", self.folder / "q2.tsv", "--out", "a.csv", says="a.csv: expected a name that ends in .tsv or .jsonl")
        self.refused("--queries", self.folder / "q2.tsv", "--out", out, "--head", "dog", says="--queries names a file of questions")

    def test_a_run_that_reads_no_texts_says_so(self):
        self.refused("--head-text", "Wolf", "--relation", "kind_of", run="popular", says="reads no texts")
        self.assertEqual(self.ask("--head", "dog", "--relation", "kind_of", run="popular")["answers"][0]["known"], "train")
        self.refused("--head", "dog", "--head-text", "Wolf", "--relation", "kind_of", says="give only one of them")


if __name__ == "__main__":
    unittest.main()
