"""What a user sees while a long job runs: one line that fits the terminal, or sparse lines in a log."""

import fcntl
import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import tempfile
import termios
import time
import unittest

PROGRAM = os.path.abspath(os.environ["HASA_PROGRAM"])
CONFIG = """graph: {graph}
model: {{type: complex, dim: 32}}
tables: {{negatives: 16}}
train: {{epochs: 100000, batch: 64, validate_every: 50, checkpoint_every: 100000}}
"""


def set_width(terminal, columns):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))


class Terminal(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls._folder = tempfile.TemporaryDirectory(prefix="hasa-terminal-")
        cls.folder = pathlib.Path(cls._folder.name)
        (cls.folder / "ring.tsv").write_text("".join(f"e{i}\tnext\te{(i + 1) % 300}\ne{i}\tafter\te{(i + 2) % 300}\n" for i in range(300)))
        subprocess.run([PROGRAM, "-q", "import", cls.folder / "ring.tsv", "--out", cls.folder / "graph"], check=True,
                       capture_output=True, timeout=600)
        (cls.folder / "c.yaml").write_text(CONFIG.format(graph=cls.folder / "graph"))
        cls.runs = 0

    @classmethod
    def tearDownClass(cls):
        cls._folder.cleanup()

    def start(self, **streams):
        """A training that goes on until it is stopped."""
        type(self).runs += 1
        environment = {**os.environ, "TERM": "xterm", **streams.pop("environment", {})}
        return subprocess.Popen([PROGRAM, "--threads", "1", "train", "--config", self.folder / "c.yaml",
                                 "--out", self.folder / f"run-{self.runs}"], env=environment, **streams)

    def stop(self, process):
        process.send_signal(signal.SIGTERM)
        process.wait(600)

    def read_until(self, terminal, enough, patience=600):
        """What the program writes, until enough(text) is true."""
        text, end = "", time.monotonic() + patience
        while not enough(text):
            self.assertLess(time.monotonic(), end, text[-2000:])
            if select.select([terminal], [], [], 0.2)[0]:
                text += os.read(terminal, 1 << 16).decode(errors="replace")
        return text

    def bars(self, text):
        """The moving lines as they were drawn: they have no end of line, and give way to another or to a line of the log.
        The newest has not yet, and may have come in part."""
        return [line for line in re.split(r"\r\x1b\[K|\r?\n", text)[:-1] if re.match(r"epoch \d+/\d+ ", line)]

    def on_terminal(self, columns, **environment):
        terminal, end = pty.openpty()
        set_width(end, columns)
        process = self.start(stdout=subprocess.DEVNULL, stderr=end, environment=environment)
        self.addCleanup(self.stop, process)
        self.addCleanup(os.close, terminal)  # before the stop: nobody reads any more, and a full terminal would hold it up
        return terminal, end

    def test_the_line_fits_terminals_of_any_width(self):
        for columns, has, has_not in ((40, "left", "["), (80, "[", "triples/s"), (200, "best valid MRR .", None)):
            with self.subTest(columns=columns):
                terminal, end = self.on_terminal(columns)
                text = self.read_until(terminal, lambda text: len(self.bars(text)) >= 4 and has in self.bars(text)[-1])
                os.close(end)
                bars = self.bars(text)
                for bar in bars:
                    self.assertLess(len(bar), columns, bar)
                    self.assertIn("%", bar)
                if has_not:
                    self.assertNotIn(has_not, bars[-1])

    def test_the_line_follows_a_resize(self):
        terminal, end = self.on_terminal(120)
        self.read_until(terminal, lambda text: len(self.bars(text)) >= 2)
        set_width(end, 30)  # a line drawn for the old width may be under way

        def follows(text):
            bars = self.bars(text)
            return len(bars) >= 3 and all(len(bar) < 30 for bar in bars[-3:])
        self.read_until(terminal, follows)
        os.close(end)

    def test_the_line_is_redrawn_at_a_calm_rate(self):
        start = time.monotonic()  # not when the first line came: it may be read late, and the next ones at once
        terminal, end = self.on_terminal(100)
        text = self.read_until(terminal, lambda text: len(self.bars(text)) >= 8)
        os.close(end)
        self.assertLessEqual(len(self.bars(text)), (time.monotonic() - start) / 0.4)

    def test_best_and_last_validation_are_told_apart(self):
        terminal, end = self.on_terminal(200)
        text = self.read_until(terminal, lambda text: "best valid MRR" in text and re.search(r"info.*loss.*valid MRR", text))
        os.close(end)
        for bar in self.bars(text):
            self.assertNotIn("valid MRR", bar.replace("best valid MRR", ""))

    def test_a_log_gets_sparse_lines_and_nothing_that_a_terminal_would_obey(self):
        with open(self.folder / "log", "wb") as log:
            start = time.monotonic()
            process = self.start(stdout=subprocess.DEVNULL, stderr=log)
            while "training on" not in (self.folder / "log").read_text():
                self.assertLess(time.monotonic() - start, 600)
                time.sleep(0.1)
            time.sleep(3)
            self.stop(process)
            seconds = time.monotonic() - start
        text = (self.folder / "log").read_text()
        self.assertNotIn("\x1b", text)
        self.assertNotIn("\r", text)
        self.assertLessEqual(text.count("% "), seconds / 10)

    def test_colours_are_left_out_on_request(self):
        colour = "\x1b[3"
        for environment, expected in (({"NO_COLOR": ""}, True), ({"NO_COLOR": "1"}, False)):
            with self.subTest(environment):
                terminal, end = self.on_terminal(100, **environment)
                text = self.read_until(terminal, lambda text: "training on" in text)
                os.close(end)
                self.assertEqual(colour in text, expected)


if __name__ == "__main__":
    unittest.main()
