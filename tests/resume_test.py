"""Trainings that are killed, run out of disk, or find their checkpoint damaged, and go on as if nothing had happened."""

import json
import os
import pathlib
import pty
import random
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from cli_test import PROGRAM, Case, hasa
from tiny_model import write_small_benchmark, write_tiny_bert

os.environ["OMP_WAIT_POLICY"] = "passive"  # threads that wait do not take the cores from others
SEED = int(os.environ.get("HASA_KILL_SEED", 1))
KILLS = int(os.environ.get("HASA_KILLS", 17))  # of each form
FORMS = {
    "frozen": {"train.epochs": 40, "model.dim": 16},
    "joint": {"model.type": "text", "model.query": "joint", "text.context": 3, "text.own_tokens": 12, "text.max_tokens": 24, "train.epochs": 4,
              "negatives.hard": 2, "negatives.heads": 0.25, "negatives.refresh_steps": 7, "optimiser.language_model_lr": 1e-3},
    # The bank is part of what must be kept, a step is read in portions, and not every epoch ends in a checkpoint.
    "gru": {"model.type": "text", "model.query": "gru", "model.dim": 16, "loss.kind": "hasa", "loss.tail_to_query": "yes", "loss.beta": 1,
            "loss.tau": 0.01, "negatives.hard": 1, "negatives.neighbours": 2, "negatives.refresh": "overwrite", "text.max_tokens": 16,
            "train.epochs": 7, "train.chunk_tokens": 600, "train.checkpoint_every": 2, "optimiser.language_model_lr": 1e-3},
}


def weights(run):
    """Everything that must not depend on what happened on the way."""
    return {name: (run / name).read_bytes() for name in ("last.safetensors", "best/model.safetensors")}


def records(run):
    """metrics.jsonl without the times, which are another matter."""
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    return [{name: value for name, value in line.items() if name in ("epoch", "loss", "scale", "floored", "valid")} for line in lines]


def half_written(run):
    return [path for folder in (run, run / "best") if folder.exists() for path in folder.glob(".*.tmp")]


class ResumeCase(Case):
    @classmethod
    def setUpClass(cls):
        cls._shared = tempfile.TemporaryDirectory(prefix="hasa-resume-")
        cls.shared = pathlib.Path(cls._shared.name)
        write_tiny_bert(cls.shared / "lm")
        write_small_benchmark(cls.shared / "bench")
        assert hasa("import", cls.shared / "bench", "--out", cls.shared / "graph").returncode == 0
        cls.whole, cls.seconds = {}, {}

    @classmethod
    def tearDownClass(cls):
        cls._shared.cleanup()

    def arguments(self, form, out, *more):
        options = {"train.batch": 48, "optimiser.warmup_steps": 5, **FORMS[form]}
        config = self.shared / f"{form}.yaml"
        config.write_text(f"graph: {self.shared}/graph\ndevice: cpu\nlanguage_model:\n  path: {self.shared}/lm\n")
        sets = [word for name, value in options.items() for word in ("--set", f"{name}={value}")]
        return [PROGRAM, "--threads", "2", "train", "--config", str(config), "--out", str(out), *sets, *more]

    def undisturbed(self, form):
        """Weights and records of the run nobody disturbed, which is made once."""
        if form not in self.whole:
            start = time.monotonic()
            done = subprocess.run(self.arguments(form, self.shared / form), capture_output=True, timeout=600)
            self.assertEqual(done.returncode, 0, done.stderr.decode())
            self.seconds[form] = time.monotonic() - start
            self.whole[form] = (weights(self.shared / form), records(self.shared / form))
        return self.whole[form]

    def start(self, form, out, *more, **options):
        return subprocess.Popen(self.arguments(form, out, *more), stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def resume(self, form, out, **options):
        return subprocess.run(self.arguments(form, out, "--resume"), capture_output=True, timeout=600, **options)

    def caught_once_it_has(self, file, stop, form, out):
        """A run that is sent the signal as soon as it has the file, and whether it stopped or ended then. On a busy
        machine it may have finished by that time: then another one is tried."""
        for _ in range(20):
            shutil.rmtree(out, ignore_errors=True)
            started = self.start(form, out)
            while not (out / file).exists() and started.poll() is None:
                time.sleep(0.001)
            started.send_signal(stop)
            if started.returncode is None:
                how = os.waitid(os.P_PID, started.pid, os.WEXITED | os.WSTOPPED | os.WNOWAIT)
                if how.si_code != os.CLD_EXITED or how.si_status != 0:
                    return started
            started.communicate()
        self.fail("the run finished each time before it could be caught")

    def killed_once_it_has(self, file, form, out):
        self.caught_once_it_has(file, signal.SIGKILL, form, out).communicate()

    def assert_as_undisturbed(self, form, run, hint=""):
        whole, lines = self.undisturbed(form)
        for name, content in weights(run).items():
            self.assertTrue(content == whole[name], f"{form}: {name} is not that of the undisturbed run {hint}")
        self.assertEqual(records(run), lines, hint)
        self.assertEqual(half_written(run), [], hint)

    def assert_finishes_as_undisturbed(self, form, run, hint=""):
        done = self.resume(form, run)
        self.assertEqual(done.returncode, 0, done.stderr.decode() + hint)
        self.assert_as_undisturbed(form, run, hint)
        return done.stderr.decode()


class KilledAtRandomMoments(ResumeCase):
    """Each kill comes after a random time of the undisturbed run's, or just when a file is being written or has been
    replaced. A run is killed again and again until it finishes before its kill comes; then the next one begins."""

    def wait_for_the_moment(self, started, run, rng, seconds):
        end = time.monotonic() + rng.uniform(0, seconds)
        moment = rng.choice(["any", "any", "writing", "replaced"])
        old = (run / "last.safetensors").stat().st_ino if (run / "last.safetensors").exists() else None
        later = rng.randrange(4)  # of several such moments not always the first
        while started.poll() is None:
            if moment == "any" and time.monotonic() >= end:
                return
            if moment == "writing" and time.monotonic() >= end and half_written(run):
                return
            if moment == "replaced" and (run / "last.safetensors").exists():
                now = (run / "last.safetensors").stat().st_ino
                if now != old:
                    old, later = now, later - 1
                    if later < 0:
                        return
            time.sleep(0.0005)

    def kill_again_and_again(self, form):
        rng = random.Random(f"{SEED} {form}")
        hint = f"(HASA_KILL_SEED={SEED})"
        self.undisturbed(form)
        kills = runs = 0
        while kills < KILLS:
            run, ended = self.folder / f"run{runs}", None
            runs += 1
            while kills < KILLS and ended is None:
                started = self.start(form, run, "--resume")
                self.wait_for_the_moment(started, run, rng, self.seconds[form])
                started.kill()
                _, said = started.communicate()
                if started.returncode == -signal.SIGKILL:
                    kills += 1
                else:
                    ended = started.returncode
                    self.assertEqual(ended, 0, said.decode() + hint)
            self.assert_finishes_as_undisturbed(form, run, hint)
            shutil.rmtree(run)

    def test_over_a_frozen_language_model(self):
        self.kill_again_and_again("frozen")

    def test_with_joint_queries_context_and_mined_negatives(self):
        self.kill_again_and_again("joint")

    def test_with_a_gru_and_hasa_plus(self):
        self.kill_again_and_again("gru")


class Interrupted(ResumeCase):
    def test_a_signal_writes_a_checkpoint_and_leaves(self):
        for form, stop in (("frozen", signal.SIGTERM), ("joint", signal.SIGHUP), ("gru", signal.SIGINT)):
            run = self.folder / form
            started = self.caught_once_it_has("metrics.jsonl", stop, form, run)
            _, said = started.communicate()
            self.assertEqual(started.returncode, 1, said.decode())
            self.assertIn("interrupted by a signal", said.decode())
            self.assertIn("--resume", said.decode())
            self.assertTrue((run / "last.safetensors").exists())
            self.assert_finishes_as_undisturbed(form, run)

    def test_a_terminal_that_is_closed_ends_it_like_any_other_signal(self):
        run = self.folder / "run"
        for _ in range(20):
            shutil.rmtree(run, ignore_errors=True)
            process, terminal = pty.fork()  # the child leads a session of its own, as under ssh
            if process == 0:
                os.execv(PROGRAM, self.arguments("joint", run))
            while not (run / "metrics.jsonl").exists() and os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
                time.sleep(0.001)
            os.close(terminal)
            status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
            if status != 0:  # else it had finished before
                self.assertEqual(status, 1)
                self.assertTrue((run / "last.safetensors").exists())
                self.assert_finishes_as_undisturbed("joint", run)
                return
        self.fail("the run finished each time before its terminal was closed")

    def test_under_nohup_it_goes_on(self):
        run = self.folder / "run"
        for _ in range(20):
            shutil.rmtree(run, ignore_errors=True)
            started = self.start("joint", run, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
            while not (run / "metrics.jsonl").exists() and started.poll() is None:
                time.sleep(0.001)
            still_there = started.poll() is None
            started.send_signal(signal.SIGHUP)
            started.communicate()
            self.assertEqual(started.returncode, 0)
            if still_there:
                self.assert_as_undisturbed("joint", run)
                return
        self.fail("the run finished each time before the signal")

    def test_a_second_writer_is_refused_and_the_first_not_disturbed(self):
        run = self.folder / "run"
        # Stopped, it does not end before the others have tried.
        first = self.caught_once_it_has("last.safetensors", signal.SIGSTOP, "joint", run)
        second, third = self.resume("joint", run), subprocess.run(self.arguments("joint", run), capture_output=True)
        first.send_signal(signal.SIGCONT)
        self.assertEqual(second.returncode, 1)
        self.assertIn(f"another process is writing to {run}", second.stderr.decode())
        self.assertEqual(third.returncode, 2)
        self.assertIn("holds a run already", third.stderr.decode())
        first.communicate()
        self.assertEqual(first.returncode, 0)
        self.assert_as_undisturbed("joint", run)

    def test_of_those_that_start_the_same_run_at_once_one_trains_and_the_others_are_told_of_it(self):
        for attempt, processes in enumerate((2, 2, 4)):
            run = self.folder / f"run-{attempt}"
            command = [*self.arguments("frozen", run), "--resume"]
            all_ = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(processes)]
            said = [process.communicate()[1].decode() for process in all_]
            refused = [words for process, words in zip(all_, said) if process.returncode != 0]
            # None, where one had ended before the other began.
            for words in refused:
                self.assertRegex(words, "error: another process (is writing to|has just started a run in)")
                self.assertNotIn("--resume", words)
            self.assertLess(len(refused), processes)
            self.assert_as_undisturbed("frozen", run)


class WhileTextsAreRead(ResumeCase):
    """A graph of 20,000 entities takes the small language model a second or two."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        large = cls.shared / "large"
        large.mkdir()
        (large / "entities.tsv").write_text("".join(
            f"e{i}\tthing {i}\t{' '.join(str(i * k % 977) for k in range(1, 30))}\n" for i in range(20_000)))
        links = [f"e{i}\tr0\te{i + 1}\n" for i in range(19_999)]
        for name, part in (("train", links[:-20]), ("valid", links[-20:-10]), ("test", links[-10:])):
            (large / f"{name}.txt").write_text("".join(part))

    def arguments(self, graph, out, *more):
        config = self.shared / "large.yaml"
        config.write_text(f"device: cpu\nlanguage_model:\n  path: {self.shared}/lm\n")
        return [PROGRAM, "--threads", "2", "train", "--config", str(config), "--set", f"graph={graph}", "--set", "train.epochs=1", "--set",
                "train.batch=4096", "--set", "model.dim=8", "--set", "text.max_tokens=64", "--out", str(out), *more]

    def imported(self, name):
        self.assertEqual(hasa("import", self.shared / "large", "--out", self.folder / name).returncode, 0)
        return self.folder / name

    def stopped_while_reading(self, graph, how):
        """Its exit code and words, or None where all texts were read before the signal came."""
        started = subprocess.Popen(self.arguments(graph, self.folder / "none"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

        def journal():
            try:
                return sum(path.stat().st_size for path in graph.glob("texts-*.part"))
            except FileNotFoundError:  # all is read
                return 0
        before = journal()
        while journal() <= before + 50_000 and started.poll() is None:
            time.sleep(0.001)
        started.send_signal(how)
        _, said = started.communicate(timeout=600)
        if (self.folder / "none").exists() or started.returncode == 0:
            return None
        return started.returncode, said.decode()

    def test_stopping_keeps_what_was_read_and_the_same_command_goes_on_from_there(self):
        whole = self.imported("whole")
        done = subprocess.run(self.arguments(whole, self.folder / "undisturbed"), capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        for _ in range(10):  # a busy machine may read on while the signal is on its way
            shutil.rmtree(self.folder / "graph", ignore_errors=True)
            shutil.rmtree(self.folder / "none", ignore_errors=True)
            if self.goes_on_after_each_stop(self.imported("graph")):
                return
        self.fail("all texts were read before the signals came")

    def goes_on_after_each_stop(self, graph):
        read = 0
        for stop in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
            stopped = self.stopped_while_reading(graph, stop)
            if stopped is None:
                return False
            code, said = stopped
            if stop == signal.SIGKILL:
                self.assertEqual(code, -signal.SIGKILL)
                continue
            self.assertEqual(code, 1, said)
            told = re.search(r"error: interrupted by a signal with ([\d,]+) of 20,000 texts read\n +(\S+) keeps them: the same command resumes", said)
            self.assertTrue(told, said)
            self.assertTrue(pathlib.Path(told[2]).exists())
            now = int(told[1].replace(",", ""))
            self.assertGreater(now, read)
            read = now
        done = subprocess.run(self.arguments(graph, self.folder / "run"), capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertEqual((self.folder / "run/text.safetensors").read_bytes(), (self.folder / "undisturbed/text.safetensors").read_bytes())
        self.assertEqual([path.name for path in graph.iterdir() if path.suffix in (".part", ".lock")], [])
        return True

    def test_a_search_that_is_stopped_there_says_so_and_tries_nothing_else(self):
        for _ in range(10):
            shutil.rmtree(self.folder / "graph", ignore_errors=True)
            shutil.rmtree(self.folder / "search", ignore_errors=True)
            code, said, while_read = self.search_that_is_stopped()
            if while_read:
                self.assertEqual(code, 1, said)
                self.assertIn("go on with the same command", said)
                self.assertNotIn("trial-002", said)
                self.assertFalse((self.folder / "search/search.jsonl").exists())
                return
        self.fail("all texts were read before the signal came")

    def search_that_is_stopped(self):
        """Its exit code and words, and whether it had texts left to read."""
        graph, space = self.imported("graph"), self.write("space.yaml", f"""
graph: {self.folder}/graph
device: cpu
language_model: {{path: {self.shared}/lm}}
train: {{epochs: 1, batch: 4096}}
model: {{dim: 8}}
text: {{max_tokens: 64}}
optimiser: {{lr: {{choices: [0.01, 0.02]}}}}
""")
        started = subprocess.Popen([PROGRAM, "search", "--config", space, "--out", self.folder / "search", "--trials", "2"],
                                   stderr=subprocess.PIPE)
        while not list(graph.glob("texts-*.part")) and started.poll() is None:
            time.sleep(0.001)
        started.terminate()
        _, said = started.communicate(timeout=600)
        return started.returncode, said.decode(), not list(graph.glob("texts-*.safetensors"))


class DamagedCheckpoint(ResumeCase):
    def copy_of_a_killed_run(self, name):
        if not (self.shared / "killed").exists():
            self.killed_once_it_has("previous.safetensors", "gru", self.shared / "killed")
        shutil.copytree(self.shared / "killed", self.folder / name)
        return self.folder / name

    def test_the_one_before_it_is_gone_on_from_with_a_warning(self):
        def flip(raw):
            return raw[:len(raw) // 2] + bytes([raw[len(raw) // 2] ^ 1]) + raw[len(raw) // 2 + 1:]
        damages = {"empty": lambda raw: b"", "half": lambda raw: raw[:len(raw) // 2], "bit": flip}
        for name, damage in damages.items():
            run = self.copy_of_a_killed_run(name)
            whole = (run / "last.safetensors").read_bytes()
            (run / "last.safetensors").unlink()  # both names may stand for one file
            (run / "last.safetensors").write_bytes(damage(whole))
            said = self.assert_finishes_as_undisturbed("gru", run, name)
            self.assertIn("warning", said)
            self.assertIn("last.safetensors", said)
            self.assertIn("resuming from the previous checkpoint", said)

    def test_both_damaged_end_in_an_error_that_names_them_and_nothing_is_lost(self):
        run = self.copy_of_a_killed_run("both")
        for name in ("last.safetensors", "previous.safetensors"):
            raw = (run / name).read_bytes()
            (run / name).unlink()
            (run / name).write_bytes(raw[:1000])
        def content():
            return {path: path.read_bytes() for path in run.rglob("*") if path.is_file() and path not in half_written(run)}
        before = content()
        done = self.resume("gru", run)
        self.assertEqual(done.returncode, 2)
        for word in ("last.safetensors", "previous.safetensors", "train again into another --out"):
            self.assertIn(word, done.stderr.decode())
        self.assertNotIn("resuming", done.stderr.decode())
        self.assertTrue(before == content())

    def test_one_of_another_format_is_left_alone(self):
        run = self.copy_of_a_killed_run("format")
        for name in ("last.safetensors", "previous.safetensors"):
            raw = (run / name).read_bytes()
            (run / name).unlink()
            (run / name).write_bytes(raw.replace(b'"format":"3"', b'"format":"9"', 1))
        before = weights(run)
        done = self.resume("gru", run)
        self.assertEqual(done.returncode, 2, done.stderr.decode())
        self.assertIn("finish the run with that version", done.stderr.decode())
        self.assertEqual(weights(run), before)


class FullDisk(ResumeCase):
    def test_a_checkpoint_that_cannot_be_written_leaves_the_one_before(self):
        for form, limit in (("gru", 60_000), ("joint", 20_000), ("frozen", 20_000)):
            run = self.folder / form
            self.killed_once_it_has("last.safetensors", form, run)
            kept = (run / "last.safetensors").read_bytes()
            self.assertGreater(len(kept), limit)
            done = self.resume(form, run, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
            self.assertEqual(done.returncode, 1, done.stderr.decode())
            self.assertRegex(done.stderr.decode(), "cannot write .*/(last|best/model).safetensors: File too large\n"
                                                   " *the last checkpoint is kept: once there is space, continue with --resume")
            self.assertEqual((run / "last.safetensors").read_bytes(), kept)
            self.assertEqual(half_written(run), [])
            self.assert_finishes_as_undisturbed(form, run)

    def test_a_file_system_that_is_full_likewise(self):
        self.undisturbed("gru")
        run = self.folder / "run"
        self.killed_once_it_has("last.safetensors", "gru", run)
        disk = self.folder / "disk"
        disk.mkdir()
        # A file system of its own, which only this script sees: filled up, then with room again.
        script = """set -e
mount -t tmpfs -o size=4m none "$1" || exit 77
cp -r "$2" "$1/run"
dd if=/dev/zero of="$1/filler" bs=1k count=100000 2>/dev/null || true
dd if=/dev/null of="$1/filler" bs=1k seek=$(($(stat -c %s "$1/filler") / 1024 - 80)) 2>/dev/null
shift 2
disk=$1; shift
full=0; "$@" 2>"$disk.full" || full=$?
rm "$disk/filler"
"$@" 2>"$disk.room"
cp -r "$disk/run" "$disk.out"
exit $((100 + full))
"""
        done = subprocess.run(["unshare", "-rm", "sh", "-c", script, "sh", disk, run, disk,
                               *self.arguments("gru", disk / "run", "--resume")], capture_output=True, timeout=600)
        if done.returncode in (1, 77) and not (self.folder / "disk.full").exists():
            self.skipTest("no right to mount a file system here: " + done.stderr.decode())
        said = (self.folder / "disk.full").read_text()
        self.assertEqual(done.returncode, 101, done.stderr.decode() + said)
        self.assertIn("No space left on device", said)
        self.assertIn("once there is space, continue with --resume", said)
        self.assert_as_undisturbed("gru", self.folder / "disk.out")


if __name__ == "__main__":
    unittest.main(verbosity=2)
