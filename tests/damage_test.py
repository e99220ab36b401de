"""What is on the disk was damaged, edited, cut short or laid there by somebody else: the program says so and never
gives another answer. Every bit of every file is job/damage_test.cpp's; here are the program's words and exit codes."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import unittest

import numpy as np

from cli_test import PROGRAM, Case, hasa
from tiny_model import read_safetensors, write_safetensors, write_small_benchmark, write_tiny_bert

os.environ["OMP_WAIT_POLICY"] = "passive"


def flip(path, place=None):
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2 if place is None else place] ^= 1
    path.unlink()
    path.write_bytes(raw)


def with_a_nan(path):
    """The file with one number of its largest tensor replaced."""
    tensors, _ = read_safetensors(path)
    arrays = {name: np.frombuffer(raw, "<f4").reshape(shape).copy() for name, (_, shape, raw) in tensors.items()}
    largest = max(arrays, key=lambda name: arrays[name].size)
    arrays[largest].flat[7] = np.nan
    write_safetensors(path, arrays)


class DamageCase(Case):
    @classmethod
    def setUpClass(cls):
        cls._shared = tempfile.TemporaryDirectory(prefix="hasa-damage-")
        cls.shared = pathlib.Path(cls._shared.name)
        write_tiny_bert(cls.shared / "lm")
        write_small_benchmark(cls.shared / "bench")
        assert hasa("import", cls.shared / "bench", "--out", cls.shared / "graph").returncode == 0
        for form, more in (("frozen", ["model.dim=16"]), ("joint", ["model.type=text", "model.query=joint"])):
            done = cls.train(cls.shared / "graph", cls.shared / form, *more)
            assert done.returncode == 0, done.stderr.decode()

    @classmethod
    def tearDownClass(cls):
        cls._shared.cleanup()

    @classmethod
    def train(cls, graph, out, *options, lm=None, more=()):
        sets = [word for option in ("train.epochs=2", "train.batch=48", "text.max_tokens=16", *options) for word in ("--set", option)]
        config = cls.shared / "config.yaml"
        config.write_text("device: cpu\n")
        return hasa("train", "--config", config, "--set", f"graph={graph}", "--set", f"language_model.path={lm or cls.shared / 'lm'}",
                    "--out", out, *sets, *more)

    def run_copy(self, form):
        shutil.copytree(self.shared / form, self.folder / form)
        return self.folder / form

    def graph_copy(self):
        shutil.copytree(self.shared / "graph", self.folder / "graph")
        return self.folder / "graph"


class DamagedRun(DamageCase):
    def test_a_flipped_bit_is_refused_by_eval_and_predict_with_the_files_name(self):
        files = {"frozen": ["config.yaml", "run.json", "best/model.safetensors", "text.safetensors"],
                 "joint": ["config.yaml", "run.json", "best/model.safetensors", "best/config.json", "best/vocab.txt"]}
        for form, names in files.items():
            for name in names:
                run = self.run_copy(form)
                flip(run / name)
                self.refused("eval", run, says=f"{form}/{name} ")
                self.refused("predict", run, "--head", "e1", "--relation", "r0", says=f"{form}/{name} ")
                shutil.rmtree(run)

    def test_an_edited_config_is_not_obeyed_and_a_cut_one_not_certified(self):
        run = self.run_copy("frozen")
        whole = (run / "config.yaml").read_text()
        for text in (whole.replace("seed: ", "seed: 1"), whole[:len(whole) // 3], ""):
            (run / "config.yaml").write_text(text)
            said = self.refused("eval", run, says="frozen/config.yaml has changed since it was written: it was edited or damaged")
            self.assertIn("restore the original; other options need a new run", said)
        (run / "config.yaml").write_text(whole)
        self.good("eval", run)

    def test_damaged_texts_are_made_again_once_they_are_deleted(self):
        run = self.run_copy("frozen")
        whole = (run / "text.safetensors").read_bytes()
        flip(run / "text.safetensors")
        self.refused("eval", run, says="delete it, and hasa train --resume recreates it")
        (run / "text.safetensors").unlink()
        done = self.train(self.shared / "graph", run, "model.dim=16", more=["--resume"])
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertEqual((run / "text.safetensors").read_bytes(), whole)

    def test_a_run_of_the_former_format_opens_with_a_warning_and_resume_upgrades_it(self):
        run = self.run_copy("frozen")
        now = json.loads((run / "run.json").read_text())
        (run / "run.json").write_text(json.dumps({"format": 2, **{key: now[key] for key in ("hasa", "commit", "graph_hash")}}))
        done = hasa("eval", run)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr.decode(), "warning.* is of format 2, without hashes: damage to its files cannot be detected")
        self.assertEqual(self.train(self.shared / "graph", run, "model.dim=16", more=["--resume"]).returncode, 0)
        upgraded = json.loads((run / "run.json").read_text())
        self.assertEqual(upgraded["files"], {name: hashes[:1] for name, hashes in now["files"].items()})  # not those before them
        self.assertEqual([upgraded[key] for key in ("format", "hasa", "commit")], [now[key] for key in ("format", "hasa", "commit")])
        self.assertNotIn("warning", hasa("eval", run).stderr.decode())
        flip(run / "best/model.safetensors")
        self.refused("eval", run, says="best/model.safetensors has changed since it was written")


class NotANumber(DamageCase):
    def test_in_a_language_model_is_refused_with_the_files_name(self):
        shutil.copytree(self.shared / "lm", self.folder / "lm")
        with_a_nan(self.folder / "lm/model.safetensors")
        for options in (["model.dim=16"], ["model.type=text"]):
            done = self.train(self.graph_copy(), self.folder / "run", *options, lm=self.folder / "lm")
            self.assertEqual(done.returncode, 2, done.stderr.decode())
            self.assertRegex(done.stderr.decode(), "lm/model.safetensors: tensor .* holds values that are not finite numbers")
            self.assertNotIn("lr", done.stderr.decode())
            self.assertFalse((self.folder / "run").exists())
            shutil.rmtree(self.folder / "graph")

    def test_in_a_run_without_hashes_is_refused_with_the_files_name(self):
        for name in ("best/model.safetensors", "text.safetensors"):
            run = self.run_copy("frozen")
            now = json.loads((run / "run.json").read_text())
            (run / "run.json").write_text(json.dumps({"format": 2, "graph_hash": now["graph_hash"]}))
            _, about = read_safetensors(run / name)
            with_a_nan(run / name)
            raw = (run / name).read_bytes()  # with the words the file had, but for its checksum
            length = int.from_bytes(raw[:8], "little")
            header = json.loads(raw[8:8 + length])
            header["__metadata__"] = {key: value for key, value in about.items() if key != "checksum"}
            words = json.dumps(header).encode()
            (run / name).write_bytes(len(words).to_bytes(8, "little") + words + raw[8 + length:])
            self.refused("eval", run, says=f"frozen/{name}: ")
            self.assertIn("not finite numbers", hasa("eval", run).stderr.decode())
            shutil.rmtree(run)


class DamagedCache(DamageCase):
    def test_is_made_again_with_a_warning(self):
        graph = self.graph_copy()
        for pattern, word in (("tokens-*-names.bin", "tokenised again"), ("tokens-*-descriptions.bin", "tokenised again"),
                              ("texts-*.safetensors", "encoded again")):
            file, = graph.glob(pattern)
            whole = file.read_bytes()
            for damage in (lambda: flip(file), lambda: file.write_bytes(whole[:len(whole) // 2])):
                damage()
                done = self.train(graph, self.folder / "run", "model.dim=16")
                self.assertEqual(done.returncode, 0, done.stderr.decode())
                self.assertRegex(done.stderr.decode(), f"warning .*{file.name}.*(\n.*)*{word}")
                self.assertEqual(file.read_bytes(), whole)
                self.assertEqual((self.folder / "run/best/model.safetensors").read_bytes(),
                                 (self.shared / "frozen/best/model.safetensors").read_bytes())
                shutil.rmtree(self.folder / "run")

    def test_two_trainings_on_a_new_graph_read_its_texts_once(self):
        hasa("import", self.shared / "bench", "--out", self.folder / "graph")
        first, second = (subprocess.Popen(
            [PROGRAM, "train", "--config", self.shared / "config.yaml", "--set", f"graph={self.folder}/graph", "--set", "text.max_tokens=16",
             "--set", f"language_model.path={self.shared}/lm", "--set", "train.epochs=1", "--out", self.folder / name],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for name in ("a", "b"))
        for each in (first, second):
            _, said = each.communicate(timeout=600)
            self.assertEqual(each.returncode, 0, said.decode())
        left = sorted(re.sub("-[0-9a-f]{16}", "", path.name) for path in (self.folder / "graph").iterdir())
        self.assertEqual(left, ["graph.bin", "texts.safetensors", "tokens-descriptions.bin", "tokens-names.bin", "tokens-relations.bin"])
        self.assertEqual((self.folder / "a/text.safetensors").read_bytes(), (self.folder / "b/text.safetensors").read_bytes())


class CutShort(DamageCase):
    def test_a_small_graph_cut_while_it_is_in_use_changes_nothing(self):
        graph = self.graph_copy()
        runs = [self.folder / "undisturbed", self.folder / "cut"]
        for run in runs:
            program = subprocess.Popen([PROGRAM, "-q", "train", "--config", self.shared / "config.yaml", "--set", f"graph={graph}",
                                        "--set", "model.type=transe", "--set", "train.epochs=40", "--out", run],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            while not (run / "metrics.jsonl").exists() and program.poll() is None:
                time.sleep(0.001)
            if run == runs[1]:
                os.truncate(graph / "graph.bin", 100)
            _, said = program.communicate(timeout=600)
            self.assertEqual(program.returncode, 0, said.decode())
        self.assertEqual(*((run / "best/model.safetensors").read_bytes() for run in runs))
        self.refused("eval", runs[1], says="graph/graph.bin is cut off")

    @staticmethod
    def is_reading(pid, file):
        """Whether the process has the file open and is past its first bytes."""
        for link in pathlib.Path(f"/proc/{pid}/fd").glob("*"):
            try:
                if os.readlink(link) == str(file):
                    position = pathlib.Path(f"/proc/{pid}/fdinfo/{link.name}").read_text().split()[1]
                    return int(position) > 100
            except OSError:
                continue
        return False

    def test_a_large_file_cut_while_it_is_read_ends_in_an_error_that_names_it(self):
        for tries in range(20):  # it may be too early, or too late
            triples = self.write("triples.tsv", "".join(f"entity{i % 30011}\tr{i % 7}\tentity{i * i % 29989}\n" for i in range(1_000_000)))
            program = subprocess.Popen([PROGRAM, "-q", "import", triples, "--out", self.folder / f"graph{tries}"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            while program.poll() is None and not self.is_reading(program.pid, triples):
                time.sleep(0.0005)
            os.truncate(triples, 100)
            _, said = program.communicate(timeout=600)
            self.assertGreaterEqual(program.returncode, 0, "ended by a signal")
            if b"was truncated, or its disk failed" in said:
                self.assertEqual(program.returncode, 1)
                self.assertIn(str(triples), said.decode())
                return
        self.fail("the file was never caught while it was read")


if __name__ == "__main__":
    unittest.main(verbosity=2)
