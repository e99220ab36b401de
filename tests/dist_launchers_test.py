"""Jobs started by torchrun and by Open MPI's mpirun: the gradients and weights of one process, and under torchrun's
elastic mode a job that goes on with the processes that are left.

torchrun is that of HASA_TORCHRUN or of .venv-yardstick, mpirun the one of the PATH; what is not there is skipped.
HASA_LAUNCHERS=all: every form with two and with four processes."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import time
import unittest

import numpy as np

from cli_test import PROGRAM, ROOT
from dist_faults_test import distance, weights
from dist_test import PATIENCE, DistCase, free_port, records, tensors

ALL = os.environ.get("HASA_LAUNCHERS") == "all"
FORMS = ("hasa+", "joint", "frozen", "rotate") if ALL else ("hasa+", "rotate")
SIZES = (2, 4) if ALL else (2,)
TORCHRUN = os.environ.get("HASA_TORCHRUN") or str(ROOT / ".venv-yardstick/bin/torchrun")
MPIRUN = shutil.which("mpirun")
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "HASA_RANK_TIMEOUT": "12", "TOKENIZERS_PARALLELISM": "false"}


class LauncherCase(DistCase):
    def torchrun(self, *options):
        if not pathlib.Path(TORCHRUN).exists():
            self.skipTest(f"there is no {TORCHRUN}: tools/setup.sh --yardstick makes it")
        return [TORCHRUN, "--no-python", *options]

    def mpirun(self, size):
        if not MPIRUN:
            self.skipTest("there is no mpirun")
        # On this machine, also as root and with more processes than cores; the port that ranks meet at is theirs to be told.
        return [MPIRUN, "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-x", f"MASTER_PORT={free_port()}", "-np", str(size)]

    def started(self, launcher, arguments):
        done = subprocess.run([*launcher, PROGRAM, *map(str, arguments)], env=ENVIRONMENT, capture_output=True, timeout=PATIENCE * 3)
        self.assertEqual(done.returncode, 0, done.stderr.decode())

    def assert_trains_as_one_process(self, launcher_of, name):
        launcher_of(SIZES[0])  # skips where there is none
        step = {"train.epochs": 1, "train.batch": 4096}
        epoch = {"train.epochs": 1, "train.batch": 48}
        for form in FORMS:
            kind = {"optimiser.kind": "adamw"} if form == "rotate" else {}
            alone = self.train(form, 1, self.folder / f"{name} {form} step", **step, **kind)
            whole = self.train(form, 1, self.folder / f"{name} {form} epoch", **epoch)
            self.assertGreater(distance(weights(whole), weights(alone)), 1e-3)  # what other steps would make of it
            for size in SIZES:
                with self.subTest(form, size=size):
                    run = self.folder / f"{name} {form} step {size}"
                    self.started(launcher_of(size), self.arguments(form, run, **step, **kind))
                    one, together = tensors(alone, "optimiser.mean"), tensors(run, "optimiser.mean")
                    most = max(np.abs(values).max() for values in one.values())
                    apart = max(np.abs(values - together[name]).max() for name, values in one.items()) / most
                    run = self.folder / f"{name} {form} epoch {size}"
                    self.started(launcher_of(size), self.arguments(form, run, **epoch))
                    after_epoch = distance(weights(whole), weights(run))
                    print(f"  {name}, {size} processes, {form}: gradient within {apart:.1e}, weights after an epoch within {after_epoch:.1e}", flush=True)
                    self.assertLess(apart, 2e-5)
                    self.assertLess(after_epoch, 1e-4)


class Mpirun(LauncherCase):
    def test_trains_as_one_process_does(self):
        self.assert_trains_as_one_process(self.mpirun, "mpirun")


class Torchrun(LauncherCase):
    def test_trains_as_one_process_does(self):
        self.assert_trains_as_one_process(
            lambda size: self.torchrun(f"--nproc-per-node={size}", "--rdzv-backend=c10d", f"--rdzv-endpoint=127.0.0.1:{free_port()}"), "torchrun")

    def agent(self, port, arguments):
        """The torchrun of one of up to three machines."""
        # By default torchrun keeps the workers' store for good on the machine that was first at the start.
        environment = {**ENVIRONMENT, "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1"}
        command = [*self.torchrun("--nnodes=1:3", "--nproc-per-node=1", "--max-restarts=3", "--rdzv-backend=c10d", "--rdzv-id=hasa",
                                  f"--rdzv-endpoint=127.0.0.1:{port}", "--local-addr=127.0.0.1",
                                  f"--rdzv-conf=is_host={int(not self.logs)},last_call_timeout=5,keep_alive_interval=1,keep_alive_max_attempt=5"), PROGRAM, *map(str, arguments)]
        log = open(self.folder / f"agent {len(self.logs)}.log", "w+b")
        self.logs.append(log)
        return subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT)

    def said(self):
        for log in self.logs:
            log.seek(0)
        return "".join(log.read().decode(errors="replace") for log in self.logs)

    def wait_until(self, condition):
        end = time.monotonic() + PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), end, self.said())
            time.sleep(0.1)

    @staticmethod
    def workers_of(agent):
        """torchrun starts its workers in sessions of their own."""
        def parent(process):
            try:
                return int((process / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except (OSError, ProcessLookupError):
                return 0
        return [int(process.name) for process in pathlib.Path("/proc").glob("[0-9]*") if parent(process) == agent.pid]

    def lose(self, agent):
        for process in [agent.pid, *self.workers_of(agent)]:
            os.kill(process, signal.SIGKILL)
        agent.wait()

    def test_a_job_that_loses_machines_goes_on_with_those_that_are_left(self):
        self.logs, agents = [], []
        run, port = self.folder / "elastic", free_port()
        arguments = [*self.arguments("hasa+", run, **{"train.epochs": 100000, "train.validate_every": 1000}), "--resume"]

        def epochs():
            return len(records(run)) if (run / "metrics.jsonl").exists() else 0
        try:
            agents += [self.agent(port, arguments) for _ in range(3)]  # the first one keeps the rendezvous
            for left in (3, 2, 1):
                self.wait_until(lambda: re.search(f"training on {left} x " if left > 1 else r"training on (?!\d+ x )", self.said()))
                before = epochs()
                self.wait_until(lambda: epochs() > before + 3)
                if left > 1:
                    self.lose(agents[left - 1])
            agents[0].send_signal(signal.SIGTERM)
            agents[0].wait(PATIENCE)
            self.assertIn("resuming after epoch", self.said())
            self.assertEqual([line["epoch"] for line in records(run)], list(range(1, epochs() + 1)))
        finally:
            for agent in agents:
                if agent.poll() is None:
                    self.lose(agent)
            for log in self.logs:
                log.close()


if __name__ == "__main__":
    unittest.main(verbosity=2)
