"""An installed program somewhere else, with the sources, the build and .venv out of reach: it must find all it needs."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ["HASA_BUILD"]).resolve()
VENV = pathlib.Path(os.environ["HASA_VENV"]).resolve()


def new_mount_namespace():
    """The command that gives its child mounts of its own: as root, or with a user namespace; None where neither may."""
    for command in (["unshare", "--mount"], ["unshare", "--mount", "--map-root-user"]):
        if subprocess.run([*command, "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True).returncode == 0:
            return command
    return None


@unittest.skipIf(os.environ.get("HASA_SANITIZE"), "what is installed is a release build")
class MovedInstall(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls._folder = tempfile.TemporaryDirectory(prefix="hasa-install-")
        folder = pathlib.Path(cls._folder.name)
        subprocess.run(["cmake", "--install", BUILD, "--prefix", folder / "first"], check=True, capture_output=True)
        cls.moved = folder / "moved"
        (folder / "first").rename(cls.moved)
        cls.unshare = new_mount_namespace()

    @classmethod
    def tearDownClass(cls):
        cls._folder.cleanup()

    def run_alone(self, *arguments):
        """Runs the moved program with an empty environment, and empty folders over everything it was built from."""
        if self.unshare is None:
            if os.environ.get("CI") == "true":
                self.fail("this machine lets nobody hide the sources from a program: neither root nor user namespaces may mount")
            self.skipTest("the sources cannot be hidden: neither root nor user namespaces may mount here")
        built_from = [*{ROOT, BUILD, VENV, VENV.parent / "models"}]
        hidden = [str(path) for path in sorted(built_from) if path.is_dir()]
        script = 'for each in $HIDDEN; do if [ -d "$each" ]; then mount -t tmpfs none "$each"; fi; done; exec env -i "$@"'
        return subprocess.run([*self.unshare, "sh", "-c", script, "sh", self.moved / "bin/hasa", *arguments],
                              env={**os.environ, "HIDDEN": " ".join(hidden)}, cwd=self.moved, capture_output=True, timeout=1500)

    def test_holds_no_links_out_of_itself(self):
        for path in self.moved.rglob("*"):
            self.assertTrue(path.exists(), f"{path} points at nothing")
            self.assertTrue(path.resolve().is_relative_to(self.moved.resolve()), f"{path} points at {path.resolve()}")

    def test_takes_every_library_of_its_own_from_itself(self):
        program = self.moved / "bin/hasa"
        found = subprocess.run(["ldd", program], env={"PATH": os.environ["PATH"]}, capture_output=True, check=True).stdout.decode()
        ours = {path.name for path in (self.moved / "lib").iterdir()}
        taken = [line.split() for line in found.splitlines() if line.split()[0] in ours]
        self.assertGreaterEqual({line[0] for line in taken}, {"libtorch_cpu.so", "libc10.so"})
        for line in taken:
            self.assertEqual(pathlib.Path(line[2]).resolve().parent, (self.moved / "lib").resolve(), line)

    def test_plays_the_demo_with_its_sources_gone(self):
        done = self.run_alone("demo", "--quick", "--out", self.moved / "demo")
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        said = done.stdout.decode()
        self.assertIn("trained with context", said)
        self.assertIn("beagle", said)
        self.assertIn(f"{self.moved}/bin/hasa predict {self.moved}/demo/run --head beagle", said)  # as it was called
        headings = [line for line in said.splitlines() if re.match(r"\d\. ", line)]
        self.assertEqual(len(headings), 5)
        for line in headings:
            self.assertLess(len(line), 80, line)
        self.assertTrue((self.moved / "demo/report.html").is_file())


if __name__ == "__main__":
    unittest.main()
