"""Jobs in which a process is killed, stopped or cut off the network at a random moment: the others end in bounded time
with a message that names it, and whatever number of processes resumes the run arrives where an undisturbed one does.

HASA_DIST_KILLS=20 for the long form; HASA_KILL_SEED=n draws other moments.
"""

import os
import random
import resource
import shutil
import signal
import time
import unittest

import numpy as np

from dist_test import PATIENCE, SILENCE, DistCase, Job, records, tensors
from networks import Network, NoNetworks
from resume_test import half_written

SEED = int(os.environ.get("HASA_KILL_SEED", 1))
KILLS = int(os.environ.get("HASA_DIST_KILLS", 3))
FORMS = ("hasa+", "frozen", "rotate")
HOSTS = 4
# Of docs/scale.md: how long the others may take, from the loss to their end; five times as long before all have met.
# What a starved machine adds is not the job's.
BOUND = SILENCE + 10
STARVED = 20
PAUSE = {"optimiser.decay": "no", "train.validate_every": 2}
EPOCHS = {"hasa+": 30, "frozen": 200, "rotate": 200}


def weights(run):
    """What was trained, without what rounding alone decides: a key's bias shifts all scores of a query alike, so its
    gradient is 0, and AdamW divides what rounding leaves of it by its own size."""
    values = {name: array.copy() for name, array in tensors(run, "model.").items()}
    for name, array in values.items():
        if name.endswith("qkv.bias"):
            third = array.size // 3
            array[third:2 * third] = 0
    return values


def distance(one, other):
    """Of all weights together, as a fraction of their length."""
    apart = sum(float(np.square(one[name] - other[name]).sum()) for name in one)
    return (apart / sum(float(np.square(array).sum()) for array in one.values())) ** 0.5


class FaultsCase(DistCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.network, cls.no_network = None, ""
        try:
            cls.network = Network(HOSTS)
        except NoNetworks as reason:
            cls.no_network = f"no network can be made here: {reason}"

    @classmethod
    def tearDownClass(cls):
        if cls.network:
            cls.network.close()
        super().tearDownClass()

    def job(self, size, form, run, on_network=False, **options):
        arguments = [*self.arguments(form, run, **{"train.epochs": EPOCHS[form], **PAUSE}), "--resume"]
        return Job(size, arguments, network=self.network if on_network else None, **options)


class LostAtRandomMoments(FaultsCase):
    def undisturbed(self, form):
        """One process's run, and the seconds that two take for it."""
        run = self.folder / f"undisturbed {form}"
        if not run.exists():
            self.run_job(1, self.job_arguments(form, run))
        return run

    def job_arguments(self, form, run):
        return [*self.arguments(form, run, **{"train.epochs": EPOCHS[form], **PAUSE}), "--resume"]

    def wait_for_the_moment(self, job, run, rng):
        """Any time in a run's first seconds, or while rank 0 writes a file; now and then before all have met."""
        early, writing, seconds = rng.random() < 0.2, rng.random() < 0.3, rng.uniform(0, 10)
        while not early and "have met at" not in job.text(0) and all(rank.poll() is None for rank in job.ranks):
            time.sleep(0.005)
        end = time.monotonic() + seconds
        while all(rank.poll() is None for rank in job.ranks):
            if time.monotonic() >= end and (not writing or half_written(run) or time.monotonic() > end + 4):
                return
            time.sleep(0.001)

    def lose(self, job, rank, how):
        {"killed": job.ranks[rank].kill, "stopped": lambda: job.ranks[rank].send_signal(signal.SIGSTOP),
         "cut off": lambda: self.network.cut(rank)}[how]()

    def assert_ends_well(self, job, lost, how, hint):
        """Within the bound, and whoever could not finish says why; whether it was seen to be lost, after how long, and whether all had met."""
        met = "have met at" in job.text(0)
        began = time.monotonic()
        waited_for = [rank for rank in range(len(job.ranks)) if rank != lost or how == "cut off"]
        bound = (BOUND if met else 5 * BOUND) + STARVED
        codes = job.wait(patience=bound, ranks=waited_for)
        seconds = time.monotonic() - began
        told = False
        for rank in waited_for:
            words = job.text(rank)
            self.assertIn(codes[rank], (0, 1), f"rank {rank}: {words} {hint}")
            if codes[rank] == 0:  # it was done before the loss
                continue
            told = True
            # Who was cut off sees others go silent; the others see it.
            named = r"rank \d+" if rank == lost else rf"rank {lost}\b|ranks .*\b{lost}\b|store is gone"
            self.assertRegex(words, rf"error: rank {rank} of {len(job.ranks)}[ :](.|\n)*({named})", hint)
        return told, seconds, met

    def test_the_others_name_it_and_any_number_of_processes_resumes_as_if_nothing_had_happened(self):
        rng = random.Random(SEED)
        ways = ["killed", "stopped"] + (["cut off"] if self.network else [])
        lost, longest, runs = 0, 0, 0
        while lost < KILLS:
            form, run = FORMS[runs % len(FORMS)], self.folder / f"run {runs}"
            runs += 1
            finished = False
            while not finished and lost < KILLS:
                size, how = rng.choice((2, 3, 4)), ways[lost % len(ways)]
                rank = rng.randrange(size)
                hint = f"({form}: rank {rank} of {size} {how}; HASA_KILL_SEED={SEED})"
                job = self.job(size, form, run, on_network=how == "cut off")
                self.wait_for_the_moment(job, run, rng)
                finished = job.ranks[0].poll() is not None
                if finished:
                    self.assertEqual(job.wait(), [0] * size, job.text(0) + hint)
                    break
                self.lose(job, rank, how)
                told, seconds, met = self.assert_ends_well(job, rank, how, hint)
                lost += 1
                longest = max(longest, seconds if told and met else 0)
                print(f"  {lost}: {form}, rank {rank} of {size} {how}: {'ended' if told else 'was done'} after {seconds:.1f} s,"
                      f" {len(records(run)) if (run / 'metrics.jsonl').exists() else 0} epochs{'' if met else ', before all had met'}", flush=True)
                if how == "cut off":
                    self.network.mend(rank)
                self.assert_each_epoch_once(run, hint)
            self.assert_arrives(form, run, rng.choice((1, 2)), hint)
        print(f"  {lost} processes lost; once all had met, the others ended within {longest:.1f} s", flush=True)
        if self.no_network:
            self.skipTest(self.no_network + "; processes were killed and stopped")

    def assert_each_epoch_once(self, run, hint):
        if (run / "metrics.jsonl").exists():
            epochs = [line["epoch"] for line in records(run)]
            self.assertEqual(epochs, list(range(1, len(epochs) + 1)), hint)

    def assert_arrives(self, form, run, size, hint):
        self.run_job(size, self.job_arguments(form, run))
        whole = self.undisturbed(form)
        self.assert_each_epoch_once(run, hint)
        self.assertEqual(half_written(run), [], hint)
        losses = [(here["loss"], there["loss"]) for here, there in zip(records(whole), records(run), strict=True)]
        of_losses, of_weights = max(abs(here / there - 1) for here, there in losses), distance(weights(whole), weights(run))
        print(f"  {form} arrived: losses within {of_losses:.1e}, weights within {of_weights:.1e}", flush=True)
        self.assertLess(of_losses, 1e-4, hint)
        self.assertLess(of_weights, 1e-4, hint)
        shutil.rmtree(run)


class FullDisk(FaultsCase):
    def test_rank_0_says_so_the_others_repeat_it_and_the_last_checkpoint_is_resumed(self):
        run = self.folder / "full"
        job = self.job(2, "hasa+", run)
        end = time.monotonic() + PATIENCE
        while not (run / "last.safetensors").exists():
            self.assertIsNone(job.ranks[0].poll(), job.text(0))
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)
        limit = 60_000  # bytes of a file: less than a checkpoint
        resource.prlimit(job.ranks[0].pid, resource.RLIMIT_FSIZE, (limit, limit))
        self.assertEqual(job.wait(), [1, 1], job.text(0))
        self.assertRegex(job.text(0), r"rank 0 of 2: cannot write .*: File too large\n *the last checkpoint is kept")
        self.assertRegex(job.text(1), r"rank 1 of 2: rank 0 \(.*\) stopped: cannot write .*: File too large")
        self.run_job(1, ["train", "--resume", run])
        self.assertEqual([line["epoch"] for line in records(run)], list(range(1, EPOCHS["hasa+"] + 1)))


if __name__ == "__main__":
    unittest.main(verbosity=2)
