"""A first graph of one's own: some hundred triples with texts, trained on with the settings that the README names."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))
from wordnet_parts import grow, read_wordnet, write  # noqa: E402

PROGRAM = os.path.abspath(os.environ["HASA_PROGRAM"])
CONFIG = ROOT / "configs/own-graph_frozen-minilm.yaml"


def hasa(*arguments):
    done = subprocess.run([PROGRAM, "--threads", "1", *map(str, arguments)], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return done


class SmallGraph(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls._folder = tempfile.TemporaryDirectory(prefix="hasa-small-")
        cls.folder = pathlib.Path(cls._folder.name)
        texts, triples = read_wordnet()
        cls.triples = grow(triples, 300, seed=9)
        write(cls.folder, texts, cls.triples)
        hasa("import", cls.folder / "triples.tsv", "--text", cls.folder / "texts.tsv", "--valid", 0.1, "--test", 0.1,
             "--out", cls.folder / "graph")

    @classmethod
    def tearDownClass(cls):
        cls._folder.cleanup()

    def train(self, name, *more):
        done = hasa("train", "--config", CONFIG, "--set", f"graph={self.folder}/graph",
                    "--set", "train.checkpoint_every=1000", *more, "--out", self.folder / name)
        return json.loads(hasa("-q", "eval", self.folder / name, "--json").stdout)["all"]["mrr"], done.stderr

    def test_a_part_of_wordnet_hangs_together_and_is_the_same_for_the_same_seed(self):
        self.assertEqual(len(set(self.triples)), 300)
        reached, grows = {self.triples[0][0]}, True
        while grows:
            grows = False
            for head, _, tail in self.triples:
                if (head in reached) != (tail in reached):
                    reached |= {head, tail}
                    grows = True
        self.assertEqual(reached, {end for head, _, tail in self.triples for end in (head, tail)})
        texts, triples = read_wordnet()
        self.assertEqual(grow(triples, 300, seed=9), self.triples)

    def test_the_defaults_learn_where_settings_for_a_large_graph_do_not(self):
        chosen, said = self.train("chosen")
        self.assertNotIn("too few to learn from", said)
        config = (self.folder / "chosen/config.yaml").read_text()
        self.assertIn("  epochs: 75\n  batch: 128\n", config)
        large, said = self.train("large", "--set", "train.epochs=7", "--set", "train.batch=256")
        self.assertIn("train.epochs=7 at train.batch=256 is only 14 steps, too few to learn from", said)
        self.assertIn("train.epochs=75 at train.batch=128", said)
        config = (self.folder / "large/config.yaml").read_text()
        self.assertIn("  epochs: 7\n  batch: 256\n", config)  # what was set stays
        self.assertGreater(chosen, 1.2 * large)


if __name__ == "__main__":
    unittest.main()
