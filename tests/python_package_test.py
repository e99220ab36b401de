"""The Python package as a wheel holds it, somewhere else, with the sources, the build and .venv out of reach."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from install_test import BUILD, ROOT, VENV, new_mount_namespace

ASKED = """
import hasa
graph = hasa.import_graph("synthetic:200:900", "graph")
run = hasa.train({"model.type": "complex", "model.dim": 8, "train.epochs": 2, "device": "cpu"}, graph=graph, out="run")
assert run.predict(head=run.entities[0].id, relation=run.relations[0].id, top=3)
tokens, _ = hasa.Tokenizer(hasa.__path__[0] + "/models/all-MiniLM-L6-v2").encode_batch(["a dog"])
assert list(tokens) == [101, 1037, 3899, 102], list(tokens)
"""


class ThePackageSomewhereElse(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls._folder = tempfile.TemporaryDirectory(prefix="hasa-package-")
        cls.folder = pathlib.Path(cls._folder.name)
        subprocess.run(["cmake", "--install", BUILD, "--component", "python", "--prefix", cls.folder], check=True, capture_output=True)
        cls.package = cls.folder / "hasa"

    @classmethod
    def tearDownClass(cls):
        cls._folder.cleanup()

    def test_holds_what_it_needs_and_nothing_of_the_program(self):
        self.assertEqual([path.name for path in self.folder.iterdir()], ["hasa"])
        for path in self.package.rglob("*"):
            self.assertTrue(path.resolve().is_relative_to(self.folder.resolve()), f"{path} points at {path.resolve()}")
        for name in ("__init__.py", "py.typed", "_hasa.pyi", "lib/libtorch_cpu.so", "models/all-MiniLM-L6-v2/model.safetensors"):
            self.assertTrue((self.package / name).is_file(), name)

    def test_takes_every_library_that_is_not_of_the_system_from_itself(self):
        module, = self.package.glob("_hasa*.so")
        found = subprocess.run(["ldd", module], env={"PATH": os.environ["PATH"]}, capture_output=True, check=True, text=True).stdout
        ours = {path.name for path in (self.package / "lib").iterdir()}
        taken = [line.split() for line in found.splitlines() if line.split()[0] in ours]
        self.assertGreaterEqual({line[0] for line in taken}, {"libtorch_cpu.so", "libc10.so"})
        for line in taken:
            self.assertEqual(pathlib.Path(line[2]).resolve().parent, (self.package / "lib").resolve(), line)
        rest = {line.split()[0] for line in found.splitlines()} - ours
        system = ("linux-vdso", "libc.", "libm.", "libdl.", "librt.", "libpthread.", "libutil.", "libgcc_s.", "libstdc++.", "libz.", "/lib")
        self.assertEqual([name for name in rest if not name.startswith(system)], [])

    def test_trains_and_answers_with_its_sources_gone(self):
        unshare = new_mount_namespace()
        if unshare is None:
            self.assertNotEqual(os.environ.get("CI"), "true", "this machine lets nobody hide the sources from a program")
            self.skipTest("the sources cannot be hidden: neither root nor user namespaces may mount here")
        python = pathlib.Path(sys.executable).resolve()  # the one that .venv was made with
        numpy = self.folder / "numpy-alone"
        numpy.mkdir()
        import numpy as here
        for part in (pathlib.Path(here.__file__).parent, pathlib.Path(here.__file__).parent.parent / "numpy.libs"):
            subprocess.run(["cp", "-r", part, numpy], check=True)
        script = 'for each in $HIDDEN; do mount -t tmpfs none "$each"; done; exec "$@"'
        done = subprocess.run([*unshare, "sh", "-c", script, "sh", "env", "-i", f"PYTHONPATH={self.folder}:{numpy}", python, "-B", "-c", ASKED],
                              env={**os.environ, "HIDDEN": " ".join(map(str, sorted({ROOT, BUILD, VENV})))}, cwd=self.folder,
                              capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
