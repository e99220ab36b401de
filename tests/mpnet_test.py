"""An MPNet, which writes a pair with two separators and knows no token types, is trained, evaluated and asked."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from tiny_model import write_small_benchmark, write_tiny_mpnet

PROGRAM = os.path.abspath(os.environ["HASA_PROGRAM"])

CONFIG = """
graph: {folder}/graph
device: cpu
language_model: {{path: {folder}/lm}}
text: {{max_tokens: 24, own_tokens: 16, context: {context}}}
model: {{type: text, query: {query}, dim: 16}}
train: {{epochs: 1, batch: 64}}
"""


class Mpnet(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls._folder = tempfile.TemporaryDirectory(prefix="hasa-mpnet-")
        cls.folder = pathlib.Path(cls._folder.name)
        write_tiny_mpnet(cls.folder / "lm")
        write_small_benchmark(cls.folder / "data")
        cls.run_program("import", cls.folder / "data", "--out", cls.folder / "graph")

    @classmethod
    def tearDownClass(cls):
        cls._folder.cleanup()

    @classmethod
    def run_program(cls, *arguments):
        done = subprocess.run([PROGRAM, "--threads", "1", *map(str, arguments)], capture_output=True, timeout=900)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()

    def test_is_trained_evaluated_and_asked_with_joint_queries(self):
        for query, context in (("joint", 0), ("joint", 2), ("gru", 0)):
            with self.subTest(query=query, context=context):
                run = self.folder / f"{query}-{context}"
                config = self.folder / "config.yaml"
                config.write_text(CONFIG.format(folder=self.folder, query=query, context=context))
                self.run_program("train", "--config", config, "--out", run)
                self.assertGreater(json.loads(self.run_program("eval", run, "--json"))["all"]["mrr"], 0)
                answers = self.run_program("predict", run, "--head", "e5", "--relation", "r0", "--top", 3)
                self.assertEqual(len([line for line in answers.splitlines() if line.startswith("   ")]), 3)


if __name__ == "__main__":
    unittest.main()
