"""Several processes that train, evaluate and encode together: the same results as one process, and an end in good order
when one of them is lost. They are started as torchrun would start them, by their environment."""

import json
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import time
import unittest

import numpy as np

from cli_test import PROGRAM, hasa
from tiny_model import read_safetensors, write_small_benchmark, write_tiny_bert

SILENCE = 12  # HASA_RANK_TIMEOUT: long enough that a busy machine starves no process for so long
PATIENCE = 120  # seconds that a test waits at most, whatever else runs on the machine

TEXT = {"model.type": "text", "text.max_tokens": 24, "language_model.path": "{lm}", "optimiser.language_model_lr": 1e-3}
RIVAL = {"text.max_tokens": 24, "language_model.path": "{lm}", "optimiser.language_model_lr": 1e-3}
FORMS = {
    "frozen": {"model.dim": 16, "language_model.path": "{lm}", "loss.tail_to_query": "yes"},
    "frozen hasa": {"model.dim": 16, "language_model.path": "{lm}", "loss.kind": "hasa", "loss.tau": 0.01, "loss.tail_to_query": "yes"},
    "joint": {**TEXT, "model.query": "joint", "text.context": 3, "text.own_tokens": 12, "negatives.heads": 0.25},
    "hasa+": {**TEXT, "model.query": "gru", "model.dim": 16, "loss.kind": "hasa", "loss.tail_to_query": "yes", "loss.beta": 1,
              "loss.tau": 0.01, "negatives.hard": 1, "negatives.neighbours": 2, "negatives.refresh_steps": 5, "train.chunk_tokens": 900},
    "rotate": {"model.type": "rotate", "model.dim": 16, "tables.negatives": 8, "tables.filtered": "yes", "optimiser.lr": 0.01},
    "star": {"model.type": "star", **RIVAL, "negatives.random": 2},
    "simkgc": {"model.type": "simkgc", **RIVAL, "negatives.pre_batches": 1},
    "kgbert": {"model.type": "kgbert", **RIVAL, "negatives.entities": 2, "train.validate_queries": 20},
    "lass": {"model.type": "lass", **RIVAL, "negatives.entities": 1, "train.validate_queries": 20},
    "path": {"model.type": "path", "model.dim": 8, "model.layers": 2, "paths.negatives": 8, "optimiser.lr": 5e-3},
    "text_path": {"model.type": "text_path", "model.dim": 8, "model.layers": 2, "paths.negatives": 8, "optimiser.lr": 5e-3,
                  "language_model.path": "{lm}"},
    "kbgan": {"model.type": "kbgan", "model.dim": 16, "model.candidates": 8, "model.pretrain_epochs": 1, "optimiser.lr": 1e-3},
    "complex": {"model.type": "complex", "model.dim": 16, "tables.training": "one_vs_all", "tables.entity_regulariser": 0.01,
                "tables.relation_prediction": 0.5, "tables.entity_dropout": 0.1, "optimiser.lr": 0.01},
    "sharded": {"model.type": "complex", "model.dim": 16, "tables.sharded": "always", "tables.negatives": 8, "tables.filtered": "yes",
                "tables.entity_regulariser": 0.01, "tables.relation_prediction": 0.5, "tables.entity_dropout": 0.1, "optimiser.lr": 0.01},
}
TABLES = ("rotate", "complex", "sharded")


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Job:
    """The processes of one command. Its files go with it."""

    def __del__(self):
        for log in (stream for logs in self.logs for stream in logs):
            log.close()

    def __init__(self, size, arguments, stdin=None, network=None, **environment):
        port = free_port()
        address = network.address(0) if network else "127.0.0.1"
        self.logs = [(tempfile.TemporaryFile(), tempfile.TemporaryFile()) for _ in range(size)]
        self.ranks = []
        for rank, (out, err) in enumerate(self.logs):
            variables = {**os.environ, "OMP_NUM_THREADS": "1", "RANK": str(rank), "WORLD_SIZE": str(size), "LOCAL_RANK": str(rank),
                         "LOCAL_WORLD_SIZE": str(size), "MASTER_ADDR": address, "MASTER_PORT": str(port),
                         "HASA_RANK_TIMEOUT": str(SILENCE), **environment}
            given = stdin if rank == 0 and stdin else subprocess.DEVNULL
            command = [*(network.on(rank) if network else []), PROGRAM, *map(str, arguments)]
            self.ranks.append(subprocess.Popen(command, env=variables, stdin=given, stdout=out, stderr=err))

    def wait(self, patience=PATIENCE, ranks=None):
        end = time.monotonic() + patience
        try:
            for rank in self.ranks if ranks is None else [self.ranks[r] for r in ranks]:
                rank.wait(max(0.1, end - time.monotonic()))
        finally:
            for rank in self.ranks:
                if rank.poll() is None:
                    rank.kill()
                    rank.wait()
        return [rank.returncode for rank in self.ranks]

    def text(self, rank, stream=1):
        self.logs[rank][stream].seek(0)
        return self.logs[rank][stream].read().decode()


class DistCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        lone = {**os.environ, "RANK": "1", "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "HASA_RANK_TIMEOUT": "1"}
        if b"built without" in hasa("encode", "--model", "x", "--out", "x", env=lone).stderr:
            raise unittest.SkipTest("the program was built without c10d (libgloo-dev)")
        cls._folder = tempfile.TemporaryDirectory(prefix="hasa-dist-")
        cls.folder = pathlib.Path(cls._folder.name)
        write_tiny_bert(cls.folder / "lm")
        write_small_benchmark(cls.folder / "bench")
        assert hasa("import", cls.folder / "bench", "--out", cls.folder / "graph").returncode == 0

    @classmethod
    def tearDownClass(cls):
        cls._folder.cleanup()

    def arguments(self, form, out, **more):
        options = {"graph": self.folder / "graph", "device": "cpu", "train.batch": 48, "train.epochs": 2, **FORMS[form], **more}
        sets = [word for name, value in options.items()
                for word in ("--set", f"{name}={str(value).format(lm=self.folder / 'lm')}")]
        return ["train", "--out", out, *sets]

    def run_job(self, size, arguments, stdin=None):
        job = Job(size, arguments, stdin)
        codes = job.wait()
        self.assertEqual(codes, [0] * size, "\n".join(job.text(rank) for rank in range(size)))
        return job

    def train(self, form, size, out, **more):
        self.run_job(size, self.arguments(form, out, **more))
        return out


def tensors(run, prefix):
    stored, _ = read_safetensors(run / "last.safetensors")
    return {name: np.frombuffer(raw, "<f4").reshape(shape) for name, (kind, shape, raw) in stored.items()
            if name.startswith(prefix) and kind == "F32"}


def records(run):
    return [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]


class SameAsOneProcess(DistCase):
    def test_the_gradient_of_a_step(self):
        # After one step the first moments are a tenth of the gradient. 320 examples are no multiple of three.
        for form in FORMS:
            one = {"train.epochs": 1, "train.batch": 4096}
            if form in TABLES:
                one["optimiser.kind"] = "adamw"
            alone = tensors(self.train(form, 1, self.folder / f"one {form}", **one), "optimiser.mean")
            self.assertTrue(alone)
            for size in (2, 3):
                with self.subTest(form, size=size):
                    together = tensors(self.train(form, size, self.folder / f"step {form} {size}", **one), "optimiser.mean")
                    self.assertEqual(alone.keys(), together.keys())
                    most = max(np.abs(values).max() for values in alone.values())
                    for name, values in alone.items():
                        self.assertLess(np.abs(values - together[name]).max(), 2e-5 * most, name)

    def test_the_training_of_two_epochs(self):
        # The last batch of an epoch has 32 examples, so shares are of different sizes.
        for form in FORMS:
            alone = records(self.train(form, 1, self.folder / f"alone {form}"))
            with self.subTest(form):
                together = records(self.train(form, 2, self.folder / f"two {form}"))
                for here, there in zip(alone, together, strict=True):
                    self.assertAlmostEqual(here["loss"], there["loss"], delta=1e-4 * here["loss"])
                    self.assertAlmostEqual(here["valid"]["all"]["mrr"], there["valid"]["all"]["mrr"], delta=0.02)

    def numbers_of_a_step(self, form, run):
        """By docs/scale.md, of an epoch in one step by two processes; and by what fraction that may be off."""
        held = tensors(run, "model.")
        size = {name.removeprefix("model."): values.size for name, values in held.items()}
        # A pooler that pooling does not use has no gradient.
        gradient = sum(count for name, count in size.items() if "pooler" not in name)
        triples = [line.split("\t") for line in (self.folder / "bench/train.txt").read_text().splitlines()]
        entities = {end for head, _, tail in triples for end in (head, tail)}
        queries = {(head, relation) for head, relation, _ in triples} | {(tail, relation + " inverse") for _, relation, tail in triples}
        relations = 2 * len({relation for _, relation, _ in triples})
        width = 16  # of the language model
        if form == "joint":  # a query's text stands there for each triple
            return gradient + 1 + width * (len(entities) + 2 * len(triples)) / 2, 0.1
        if form in ("star", "simkgc"):
            return gradient + 1 + width * (len(entities) + len(queries)) / 2, 0.1
        if form == "gru":
            return gradient + 1 + width * (len(entities) + relations) / 2, 0.1
        if form == "rotate":
            dim, negatives, batch = 16, 8, len(triples)  # two directions, and half of them for each process
            return batch * (2 * dim + negatives + 1) + size["relations"] + 3, 0.1
        more = {"frozen": 3, "frozen hasa": 4, "complex": 2, "kgbert": 3, "lass": 3, "path": 3, "text_path": 3, "kbgan": 2}[form]
        return gradient + more, 0

    def test_the_bytes_of_a_step_are_those_of_the_formula(self):
        for form in ("frozen", "frozen hasa", "joint", "gru", "rotate", "complex", "star", "simkgc", "kgbert", "lass", "path", "text_path", "kbgan"):
            more = {"train.epochs": 1, "train.batch": 4096}
            if form == "joint":
                more.update({"text.context": 0, "text.own_tokens": 16, "negatives.heads": 0})
            if form == "gru":
                more.update({"negatives.hard": 0, "train.chunk_tokens": 0})
            if form == "simkgc":
                more["negatives.pre_batches"] = 0
            with self.subTest(form):
                run = self.train("hasa+" if form == "gru" else form, 2, self.folder / f"counted {form}", **more)
                numbers, off = self.numbers_of_a_step(form, run)
                self.assertAlmostEqual(records(run)[0]["exchanged_bytes"] / 4, numbers, delta=off * numbers)

    def test_a_batch_with_fewer_examples_than_processes(self):
        for form in FORMS:
            with self.subTest(form):
                more = {"train.batch": 319, "train.epochs": 1}  # and one more
                alone = records(self.train(form, 1, self.folder / f"odd {form}", **more))
                together = records(self.train(form, 2, self.folder / f"odd two {form}", **more))
                self.assertAlmostEqual(alone[0]["loss"], together[0]["loss"], delta=1e-4 * alone[0]["loss"])

    def test_a_run_of_two_goes_on_as_one_and_the_other_way_round(self):
        for form in ("frozen", "hasa+", "rotate", "sharded"):
            whole = records(self.train(form, 1, self.folder / f"whole {form}", **{"train.epochs": 4, "optimiser.decay": "no"}))
            for first, then in ((2, 1), (1, 2)):
                with self.subTest(form, first=first, then=then):
                    run = self.folder / f"resumed {form} {first}"
                    self.train(form, first, run, **{"train.epochs": 2, "optimiser.decay": "no"})
                    self.run_job(then, ["train", "--resume", run, "--set", "train.epochs=4"])
                    resumed = records(run)
                    self.assertEqual([line["epoch"] for line in resumed], [1, 2, 3, 4])
                    for here, there in zip(whole, resumed, strict=True):
                        self.assertAlmostEqual(here["loss"], there["loss"], delta=1e-3 * here["loss"])

    def test_evaluation(self):
        for form in ("joint", "rotate", "sharded"):
            run = self.train(form, 1, self.folder / f"evaluated {form}")
            with self.subTest(form):
                alone = json.loads(hasa("eval", run, "--json").stdout)
                job = self.run_job(2, ["eval", run, "--json"])
                together = json.loads(job.text(0, stream=0))
                self.assertEqual(job.text(1, stream=0), "")
                self.assertEqual(together["all"]["queries"], alone["all"]["queries"])
                self.assertAlmostEqual(together["all"]["mrr"], alone["all"]["mrr"], places=4)
                # No process has all of a sharded model's scores, to which probabilities would belong.
                self.assertEqual("calibration" in together, "calibration" in alone and form != "sharded")
                for name, value in together.get("calibration", {}).items():
                    if isinstance(value, float):
                        self.assertAlmostEqual(value, alone["calibration"][name], delta=1e-3, msg=name)

    def test_ranks_of_a_slow_model_are_kept_on_the_way(self):
        run = self.train("kgbert", 1, self.folder / "slow")
        sample = ["eval", run, "--json", "--sample", 8]
        self.run_job(2, sample)
        journal = run / "ranks-test.part"
        self.assertTrue(journal.exists())
        job = self.run_job(2, ["eval", run, "--json"])
        together, alone = json.loads(job.text(0, stream=0)), json.loads(hasa("eval", run, "--json").stdout)
        self.assertFalse(journal.exists())
        self.assertIn("8 queries were ranked before", job.text(0))
        self.assertEqual(together["all"]["queries"], alone["all"]["queries"])
        self.assertAlmostEqual(together["all"]["mrr"], alone["all"]["mrr"], places=4)

    def test_encoding(self):
        lines = "".join(f"a thing that is number {i}\n" for i in range(7)).encode()
        files = [self.folder / "one.npy", self.folder / "two.npy"]
        self.assertEqual(hasa("encode", "--model", self.folder / "lm", "--out", files[0], stdin=lines).returncode, 0)
        with tempfile.TemporaryFile() as given:
            given.write(lines)
            given.seek(0)
            self.run_job(2, ["encode", "--model", self.folder / "lm", "--out", files[1]], stdin=given)
        one, two = (np.load(file) for file in files)
        self.assertEqual(one.shape, (7, 16))
        np.testing.assert_allclose(one, two, atol=1e-5)


class Refused(DistCase):
    def refusal(self, arguments):
        job = Job(2, arguments)
        codes = job.wait()
        self.assertNotIn(0, codes)
        return job.text(0), job.text(1)

    def test_what_several_processes_do_not_do(self):
        words, _ = self.refusal(["train", "--out", self.folder / "p", "--set", f"graph={self.folder}/graph", "--set", "model.type=popularity"])
        self.assertIn("model.type=popularity is trained by one process alone, and this is one of 2", words)
        words, _ = self.refusal(self.arguments("complex", self.folder / "s", **{"tables.sharded": "always"}))
        self.assertIn("tables.sharded=always needs sampled negatives", words)
        for name in "ps":
            self.assertFalse((self.folder / name).exists())
        run = self.train("sharded", 2, self.folder / "sharded", **{"train.epochs": 1})
        words, _ = self.refusal(["eval", run, "--html", self.folder / "page.html"])
        self.assertIn("--html asks one process for scores of all entities, and here each of 2 has a shard of them", words)

    def test_a_mistake_of_rank_0_is_told_to_the_others(self):
        words, others = self.refusal(["train", "--out", self.folder / "r", "--set", "graph=/nowhere"])
        self.assertIn("rank 0 of 2: ", words)
        self.assertIn("/nowhere", words)
        self.assertRegex(others, r"rank 1 of 2: rank 0 \(.*\) stopped: .*/nowhere|rank 1 of 2: .*/nowhere")


class LostProcesses(DistCase):
    def lost(self, rank, how, form="frozen"):
        """What the others say when a rank is sent a signal while it trains, and the run."""
        run = self.folder / f"lost {form} {rank} {how}"
        job = Job(3, self.arguments(form, run, **{"train.epochs": 100000, "train.validate_every": 1000}))
        end = time.monotonic() + PATIENCE
        while not (run / "previous.safetensors").exists():  # at least two epochs are kept
            self.assertIsNone(job.ranks[0].poll(), job.text(0))
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)
        job.ranks[rank].send_signal(how)
        others = [r for r in range(3) if r != rank]
        codes = job.wait(ranks=others)
        for other in others:
            self.assertGreater(codes[other], 0, job.text(other))  # an error's exit code, no signal
        return [job.text(other) for other in others], run

    def assert_goes_on(self, run):
        """Two processes resume what three began, and no epoch is missing or twice in the log."""
        lines = run / "metrics.jsonl"
        before = lines.read_text().count("\n")
        job = Job(2, ["train", "--resume", run])
        end = time.monotonic() + PATIENCE
        while lines.read_text().count("\n") < before + 3:
            self.assertIsNone(job.ranks[0].poll(), job.text(0))
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)
        job.ranks[0].send_signal(signal.SIGTERM)
        job.wait()
        self.assertIn("interrupted by a signal", job.text(0))
        epochs = [line["epoch"] for line in records(run)]
        self.assertEqual(epochs, list(range(1, len(epochs) + 1)))
        self.assertGreaterEqual(len(epochs), before + 3)

    def test_a_process_that_is_killed_is_named_by_the_others(self):
        words, run = self.lost(1, signal.SIGKILL)
        for each in words:
            self.assertRegex(each, r"rank 1 \(.*, pid \d+\) has not been heard from for \d+ s")
        self.assertIn("resume with hasa train --resume", words[0])
        self.assert_goes_on(run)

    def test_a_process_that_hangs_is_named_by_the_others(self):
        words, _ = self.lost(2, signal.SIGSTOP)
        for each in words:
            self.assertRegex(each, r"rank 2 \(.*, pid \d+\) has not been heard from for \d+ s")

    def test_rank_0_is_named_as_the_one_that_keeps_the_store(self):
        words, _ = self.lost(0, signal.SIGKILL)
        for each in words:
            self.assertRegex(each, r"rank 0 \(.*, pid \d+\), which keeps the job's store at 127\.0\.0\.1:\d+, is gone")

    def test_a_signal_to_one_process_stops_all_with_a_checkpoint(self):
        run = self.folder / "asked to stop"
        arguments = self.arguments("frozen", run, **{"train.epochs": 100000, "train.validate_every": 1000})
        job = Job(2, arguments)
        end = time.monotonic() + PATIENCE
        while not (run / "last.safetensors").exists():
            self.assertIsNone(job.ranks[0].poll(), job.text(0))
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)
        job.ranks[1].send_signal(signal.SIGTERM)
        codes = job.wait()
        self.assertTrue(all(code > 0 for code in codes), codes)
        self.assertIn("rank 1 was asked to stop by a signal", job.text(0))
        self.assertIn("interrupted by a signal", job.text(0))
        self.assertIn("resume with hasa train --resume", job.text(0))


if __name__ == "__main__":
    unittest.main(verbosity=2)
