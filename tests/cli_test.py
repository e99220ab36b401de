"""The program as scripts use it: what goes in, what comes out, and with which exit code."""

import array
import gzip
import json
import os
import pathlib
import re
import shlex
import shutil
import resource
import signal
import subprocess
import tempfile
import time
import unicodedata
import unittest

from tiny_model import write_tiny_bert

PROGRAM = os.path.abspath(os.environ["HASA_PROGRAM"])
ROOT = pathlib.Path(__file__).resolve().parent.parent
MODEL = os.environ.get("HASA_MINILM") or str(pathlib.Path(os.environ.get("HASA_VENV", ROOT / ".venv")) / "models/all-MiniLM-L6-v2")


def hasa(*arguments, stdin=b"", **options):
    return subprocess.run([PROGRAM, *map(str, arguments)], input=stdin, capture_output=True, timeout=600, **options)


class Case(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="hasa-cli-")
        self.folder = pathlib.Path(self._folder.name)

    def tearDown(self):
        self._folder.cleanup()

    def good(self, *arguments, **options):
        done = hasa(*arguments, **options)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout

    def refused(self, *arguments, says, code=2, **options):
        done = hasa(*arguments, **options)
        self.assertEqual(done.returncode, code, done.stderr.decode())
        self.assertEqual(done.stdout, b"")
        self.assertIn(says, done.stderr.decode())
        return done.stderr.decode()

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def add(self, name, text):
        self.write(name, (self.folder / name).read_text() + text)


def read_npy(path):
    raw = path.read_bytes()
    assert raw[:8] == b"\x93NUMPY\x01\x00"
    length = int.from_bytes(raw[8:10], "little")
    header = eval(raw[10:10 + length].decode())  # a literal, by the format's own definition
    values = array.array("f")
    values.frombytes(raw[10 + length:])
    return header, values


@unittest.skipIf(os.environ.get("HASA_SANITIZE"), "a sanitizer takes terabytes of address space")
class LittleMemory(Case):
    """Under ulimit -v, as batch systems set it."""

    def limited(self, mebibytes, *arguments):
        limit = mebibytes << 20
        return hasa(*arguments, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))

    def config(self):
        self.good("import", "synthetic:20000:40000", "--out", self.folder / "graph")
        return self.write("c.yaml", f"graph: {self.folder}/graph\ndevice: cpu\nmodel:\n  type: distmult\n  dim: 8\n"
                                    "train:\n  epochs: 1\n  batch: 1024\n")

    def test_a_program_that_cannot_even_start_says_so(self):
        done = self.limited(390, "version")  # enough to map LibTorch, and not to start it
        self.assertEqual(done.returncode, 1, done.stderr.decode())
        self.assertIn("error: LibTorch cannot start: there is too little memory", done.stderr.decode())
        self.assertIn("limited to 390 MiB (ulimit -v)", done.stderr.decode())

    def test_a_training_that_does_not_fit_says_how_much_it_asked_for(self):
        done = self.limited(1500, "--threads", 1, "train", "--config", self.config(), "--out", self.folder / "run",
                            "--set", "model.dim=8192")
        said = done.stderr.decode()
        self.assertEqual(done.returncode, 1, said)
        self.assertRegex(said, r"error: out of memory: .* does not fit: [\d.]+ [MG]iB more were asked for")
        self.assertIn("ulimit -v allows 1.5 GiB", said)
        self.assertIn("try ", said)
        self.assertNotIn("internal", said)

    def test_a_search_goes_on_after_a_trial_that_does_not_fit(self):
        space = self.write("s.yaml", self.config().read_text().replace("dim: 8", "dim: {choices: [8, 16, 8192, 8190]}"))
        done = self.limited(1500, "--threads", 1, "search", "--config", space, "--trials", 4, "--out", self.folder / "out")
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertIn("failed: out of memory", done.stderr.decode())
        dims = [json.loads(line)["options"] for line in (self.folder / "out/search.jsonl").read_text().splitlines()]
        self.assertEqual(len(dims), 4)
        self.assertEqual({each[0] for each in dims}, {f"model.dim={dim}" for dim in (8, 16, 8192, 8190)})


@unittest.skipIf(os.environ.get("HASA_SANITIZE"), "a sanitizer takes terabytes of address space")
class FewThreads(Case):
    """Where a container or a batch system lets a process have few threads: here by stacks that do not fit."""

    def limited(self, gibibytes, *arguments):
        def limit():
            resource.setrlimit(resource.RLIMIT_STACK, (1 << 30, 1 << 30))  # of each thread
            resource.setrlimit(resource.RLIMIT_AS, (gibibytes << 30, gibibytes << 30))
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("OMP_", "MKL_", "GOMP_"))}
        return hasa(*arguments, preexec_fn=limit, env=environment)

    def test_it_computes_with_those_it_can_have_and_says_so(self):
        done = self.limited(9, "--threads", 16, "version")
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        found = re.search(r"warning only (\d+) more threads can be started: computing with (\d+) instead of 16\n", done.stderr.decode())
        self.assertTrue(found, done.stderr.decode())
        self.assertIn(f"; {found[2]} thread", done.stdout.decode())
        self.assertEqual(max(1, int(found[1]) // 3), int(found[2]))

    def test_a_training_goes_on_with_them(self):
        self.good("import", "synthetic:300:2000", "--out", self.folder / "graph")
        config = self.write("c.yaml", f"graph: {self.folder}/graph\ndevice: cpu\nmodel: {{type: distmult, dim: 8}}\ntrain: {{epochs: 1, batch: 256}}\n")
        done = self.limited(6, "--threads", 8, "train", "--config", config, "--out", self.folder / "run")
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertRegex(done.stderr.decode(), "computing with [1-3] instead of 8")


class Program(Case):
    def test_version_says_what_it_was_built_from(self):
        self.assertRegex(self.good("version").decode(), r"^hasa \d+\.\d+\.\d+ \(.+\)\nLibTorch 2\.11\.0")

    def test_version_is_an_option_too(self):
        self.assertEqual(self.good("--version"), self.good("version"))

    def test_version_says_what_the_chip_can_do_and_what_limits_it(self):
        self.assertRegex(self.good("version").decode(), r"\nCPU: (AMX|AVX-512|AVX2|no AVX2)[^\n]*; \d+ threads?\n")
        limited = self.good("version", env={**os.environ, "ONEDNN_MAX_CPU_ISA": "AVX2"}).decode()
        self.assertIn("; oneDNN is limited to AVX2;", limited)
        verbose = hasa("--verbose", "config").stderr.decode()
        self.assertRegex(verbose, r"\d+ threads; (AMX|AVX-512|AVX2|no AVX2)")

    def test_a_misspelt_command_names_its_neighbour(self):
        self.refused("predcit", says="unknown command predcit; did you mean predict?")
        self.refused("help", "predcit", says="unknown command predcit; did you mean predict?")

    def test_without_a_command_the_help_is_named(self):
        self.refused(says="error: no command given\n       see hasa --help\n")

    def test_help_takes_a_command(self):
        self.assertEqual(self.good("help", "predict"), self.good("predict", "--help"))
        self.assertEqual(self.good("help"), self.good("--help"))

    def complete(self, *words):
        """What bash would offer for the last of the words."""
        script = self.write("completion.bash", self.good("completion", "bash"))
        ask = (f"source {script}; COMP_WORDS=(hasa {' '.join(map(shlex.quote, words))}); COMP_CWORD={len(words)}; "
               "_hasa; printf '%s\\n' \"${COMPREPLY[@]}\"")
        done = subprocess.run(["bash", "--norc", "-c", ask], capture_output=True, text=True, timeout=600)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash_completes_commands_options_and_the_keys_of_options(self):
        self.assertEqual(self.complete("pre"), ["predict"])
        self.assertEqual(self.complete("--ver"), ["--verbose", "--version"])
        self.assertEqual(self.complete("--quiet", "train", "--res"), ["--resume"])
        self.assertEqual(self.complete("train", "--set", "train.ep"), ["train.epochs="])
        self.assertEqual(self.complete("help", "impo"), ["import"])
        self.assertEqual(self.complete("completion", "f"), ["fish"])
        self.assertEqual(self.complete("train", "configs/"), [])  # left to bash, which knows the files

    def test_other_shells_are_told_every_command_and_option(self):
        fish = self.good("completion", "fish").decode()
        self.assertIn("complete -c hasa -f -n __fish_use_subcommand -a predict -d 'predict (head, relation, ?)", fish)
        self.assertIn("complete -c hasa -n '__fish_seen_subcommand_from predict' -l tail -r -d ", fish)
        self.assertIn("train.epochs=", fish)
        zsh = self.good("completion", "zsh").decode()
        self.assertIn("bashcompinit", zsh.split("\n")[0])
        self.assertTrue(zsh.endswith(self.good("completion", "bash").decode()))
        for shell, script in (("zsh", zsh), ("fish", fish)):
            if shutil.which(shell):
                checked = subprocess.run([shell, "-n", self.write("script", script)], capture_output=True, timeout=600)
                self.assertEqual((checked.returncode, checked.stderr), (0, b""))
        self.refused("completion", "tcsh", says="no completion for tcsh; expected bash, zsh or fish")

    def test_help_is_no_error(self):
        said = self.good("train", "--help")
        self.assertIn(b"train.epochs", said)
        for option in (b"with model.type=frozen, new layers", b"model.context_layers", b"with model.type=text, the language model itself", b"model.tuned_layers"):
            self.assertIn(option, said)

    def test_docs_config_md_is_what_the_program_prints(self):
        self.assertEqual(self.good("config", "--markdown").decode(), (ROOT / "docs/config.md").read_text(),
                         "run: build/hasa config --markdown > docs/config.md")

    def test_a_full_disk_is_a_failure_not_a_short_result(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([PROGRAM, "config"], stdout=full, stderr=subprocess.PIPE, timeout=600)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"disk full", done.stderr)


class Tokenize(Case):
    def ids(self, stdin):
        return self.good("tokenize", "--model", MODEL, stdin=stdin).decode().split("\n")

    def test_prints_the_ids_of_each_line(self):
        self.assertEqual(self.ids(b"hello world\n\nthe dog\n"), ["101 7592 2088 102", "101 102", "101 1996 3899 102", ""])

    def test_lines_end_in_lf_alone(self):
        one_line = "the\rdog\u2028the dog\x0b\x85".encode() + b"\x00"
        self.assertEqual(self.ids(one_line + b"\n"), ["101 1996 3899 1996 3899 102", ""])
        self.assertEqual(self.ids(b"dog\r\n"), ["101 3899 102", ""])

    def test_a_last_line_may_lack_its_end(self):
        self.assertEqual(self.ids(b"dog"), ["101 3899 102", ""])
        self.assertEqual(self.ids(b""), [""])

    def test_written_out_special_tokens_become_their_ids(self):
        self.assertEqual(self.ids(b"dog [SEP] dog\n"), ["101 3899 102 3899 102", ""])

    def test_a_folder_without_a_model_is_refused(self):
        self.refused("tokenize", "--model", self.folder, says="vocab.txt")
        self.refused("tokenize", "--model", "no-such-model", says="there is no language model no-such-model")


    def test_an_architecture_that_is_not_there_is_refused_by_name(self):
        self.write("lm/config.json", '{"model_type": "roberta"}')
        self.refused("tokenize", "--model", self.folder / "lm", says="roberta")
        self.refused("encode", "--model", self.folder / "lm", "--out", self.folder / "x.npy", stdin=b"dog\n", says="roberta")


class Encode(Case):
    def encode(self, *more, stdin=b"the dog\na much longer text about a cat\nthe dog\n"):
        out = self.folder / "x.npy"
        self.good("encode", "--model", MODEL, "--out", out, *more, stdin=stdin)
        return read_npy(out)

    def test_writes_a_float32_row_for_each_line(self):
        header, values = self.encode()
        self.assertEqual(header, {"descr": "<f4", "fortran_order": False, "shape": (3, 384)})
        self.assertEqual(values[:384], values[768:])
        self.assertNotEqual(values[:384], values[384:768])

    def test_pools_as_it_is_told(self):
        rows = [self.encode("--pool", pool)[1][:384] for pool in ("mean", "cls", "pooler")]
        self.assertTrue(rows[0] != rows[1] and rows[1] != rows[2])

    def test_bf16_points_the_same_way_as_fp32(self):
        a, b = self.encode()[1], self.encode("--dtype", "bf16")[1]
        for row in range(3):
            x, y = a[row * 384:(row + 1) * 384], b[row * 384:(row + 1) * 384]
            dot = sum(p * q for p, q in zip(x, y))
            self.assertGreater(dot / (sum(p * p for p in x) * sum(q * q for q in y)) ** 0.5, 0.999)

    def test_no_lines_make_no_rows(self):
        self.assertEqual(self.encode(stdin=b"")[0]["shape"], (0, 384))

    def test_links_are_followed_and_pipes_written_to(self):
        self.write("target.npy", "old")
        (self.folder / "link.npy").symlink_to(self.folder / "target.npy")
        self.good("encode", "--model", MODEL, "--out", self.folder / "link.npy", stdin=b"dog\n")
        self.assertTrue((self.folder / "link.npy").is_symlink())
        self.assertEqual(read_npy(self.folder / "target.npy")[0]["shape"], (1, 384))
        self.assertTrue(self.good("encode", "--model", MODEL, "--out", "/dev/stdout", stdin=b"dog\n").startswith(b"\x93NUMPY"))

    def test_wrong_words_are_refused_and_nothing_is_written(self):
        out = self.folder / "y.npy"
        self.refused("encode", "--model", MODEL, "--out", out, "--pool", "max", says="max")
        self.refused("encode", "--model", MODEL, "--out", self.folder / "no/such/y.npy", stdin=b"dog\n", says="no/such")
        self.assertEqual(list(self.folder.iterdir()), [])


ANIMALS = ["dog", "cat", "horse", "sparrow", "eagle", "trout", "shark", "bee", "ant", "frog"]
KINDS = {"dog": "mammal", "cat": "mammal", "horse": "mammal", "sparrow": "bird", "eagle": "bird", "trout": "fish",
         "shark": "fish", "bee": "insect", "ant": "insect", "frog": "amphibian"}


def small_benchmark(write, name="bench"):
    """Animals of five kinds, each kind an animal; two links are held out."""
    kinds = sorted(set(KINDS.values()))
    train = [f"{a}\tkind_of\t{KINDS[a]}" for a in ANIMALS if a not in ("cat", "eagle")]
    train += [f"{k}\tkind_of\tanimal" for k in kinds] + ["cat\tlives_with\tdog", "eagle\tlives_with\tsparrow", "dog\tlives_with\thorse"]
    write(f"{name}/train.txt", "".join(t + "\n" for t in train))
    write(f"{name}/valid.txt", "cat\tkind_of\tmammal\n")
    write(f"{name}/test.txt", "eagle\tkind_of\tbird\n")
    write(f"{name}/entities.tsv", "".join(f"{e}\t{e}\tthe {e} is well known\n" for e in ANIMALS + kinds + ["animal"]))
    write(f"{name}/relations.tsv", "kind_of\tis a kind of\nlives_with\tlives with\n")


class Import(Case):
    def test_info_counts_what_a_benchmark_folder_holds(self):
        small_benchmark(self.write)
        self.good("import", self.folder / "bench", "--out", self.folder / "graph")
        info = json.loads(self.good("info", self.folder / "graph", "--json"))
        self.assertEqual((info["entities"], info["relations"]), (16, 2))
        self.assertEqual(info["triples"], {"train": 16, "valid": 1, "test": 1})
        self.assertEqual((info["texts_missing"], info["duplicates"], info["unseen_entities"]), (0, 0, 0))

    def test_every_malformed_line_is_named_and_nothing_is_imported(self):
        small_benchmark(self.write)
        self.write("bench/train.txt", b"dog\tkind_of\tmammal\ndog\tkind_of\n\tkind_of\tmammal\na\tb\tc\td\ncat\tkind_of\t\xff\n")
        said = self.refused("import", self.folder / "bench", "--out", self.folder / "graph", says="train.txt:2:")
        for line in (3, 4, 5):
            self.assertIn(f"train.txt:{line}:", said)
        self.assertFalse((self.folder / "graph").exists())

    def test_bad_lines_are_skipped_and_counted_on_request(self):
        small_benchmark(self.write)
        self.add("bench/train.txt", "dog\tkind_of\n")
        self.good("import", self.folder / "bench", "--out", self.folder / "graph", "--bad-lines", "skip")
        info = json.loads(self.good("info", self.folder / "graph", "--json"))
        self.assertEqual(info["findings"]["bad_lines"]["count"], 1)

    def test_a_missing_split_and_an_empty_file_are_named(self):
        small_benchmark(self.write)
        (self.folder / "bench/valid.txt").unlink()
        self.refused("import", self.folder / "bench", "--out", self.folder / "graph", says="valid.txt")
        self.write("bench/valid.txt", "")
        self.assertIn("valid.txt contains no triples", hasa("import", self.folder / "bench", "--out", self.folder / "graph").stderr.decode())
        self.write("bench/train.txt", "")
        self.refused("import", self.folder / "bench", "--out", self.folder / "graph", says="train.txt is empty")

    def test_a_csv_file_with_texts_is_split_by_its_seed(self):
        rows = "".join(f'"a{i}",r,"a{(i * 7 + 1) % 40}"\r\n' for i in range(40)) * 1
        rows += "".join(f"a{i},s,a{(i * 3 + 2) % 40}\r\n" for i in range(40))
        self.write("t.csv", "\ufeffhead,relation,tail\r\n" + rows)
        self.write("texts.tsv", "".join(f"a{i}\tname {i}\ttext {i}\n" for i in range(39)))
        def split(seed):
            self.good("import", self.folder / "t.csv", "--header", "--text", self.folder / "texts.tsv", "--seed", seed,
                      "--test", 0.1, "--out", self.folder / f"g{seed}")
            return json.loads(self.good("info", self.folder / f"g{seed}", "--json"))
        info = split(1)
        self.assertEqual(info["entities"], 40)
        self.assertEqual(sum(info["triples"].values()), 80)
        self.assertEqual(info["triples"]["test"], 8)
        self.assertEqual(info["unseen_entities"], 0)
        self.assertEqual(info["texts_missing"], 1)

    def test_importing_over_a_graph_replaces_it_and_nothing_of_the_users(self):
        small_benchmark(self.write)
        self.good("import", self.folder / "bench", "--out", self.folder / "graph")
        self.write("graph/tokens-0123.bin", "")
        self.write("graph/.texts-0123.safetensors.77-0.tmp", "left by a kill")
        self.good("import", self.folder / "bench", "--out", self.folder / "graph")
        self.assertEqual([f.name for f in (self.folder / "graph").iterdir()], ["graph.bin"])
        self.write("graph/my.safetensors", "precious")
        self.refused("import", self.folder / "bench", "--out", self.folder / "graph", says="left alone")
        self.assertEqual((self.folder / "graph/my.safetensors").read_text(), "precious")

    def test_options_that_would_do_nothing_are_refused(self):
        small_benchmark(self.write)
        self.refused("import", self.folder / "bench", "--out", self.folder / "g", "--seed", 3, says="--seed has no effect here")
        self.refused("import", "wordnets", "--out", self.folder / "g", says="there is no wordnets")
        self.write("t.tsv", "a\tr\tb\n")
        self.refused("import", self.folder / "t.tsv", "--out", self.folder / "g", "--valid", 2, says="the fraction of valid triples is 2")

    def test_a_graph_of_any_size_can_be_made_up(self):
        audit = json.loads(self.good("import", "synthetic:300:2000", "--out", self.folder / "g", "--json"))
        self.assertEqual(audit["entities"], 300)
        self.assertEqual(sum(audit["triples"].values()), 2000)
        for size in ("300", "300:", "300:x", "3:20", "300:200"):
            self.refused("import", "synthetic:" + size, "--out", self.folder / "h", says="cannot be generated")
        self.refused("import", "synthetic:300:2000", "--out", self.folder / "h", "--header", says="a generated graph has its own texts")

    def test_formats_are_found_by_looking_and_said(self):
        rows = "".join(f"a{i};r{i % 2};a{(i * 7 + 1) % 20}\n" for i in range(20))
        said = hasa("import", self.write("t.txt", "source;relation;target\n" + rows), "--out", self.folder / "g")
        self.assertEqual(said.returncode, 0, said.stderr.decode())
        self.assertIn("separated by semicolons", said.stderr.decode())
        self.assertIn("its first line names the columns", said.stderr.decode())
        self.assertEqual(json.loads(self.good("info", self.folder / "g", "--json"))["entities"], 20)
        triples = '{"head": "a", "relation": "r", "tail": "b"}\n{"head": "b", "relation": "r", "tail": "a"}\n'
        self.good("import", "-", "--out", self.folder / "g", stdin=gzip.compress(triples.encode()))
        self.assertEqual(json.loads(self.good("info", self.folder / "g", "--json"))["entities"], 2)

    def test_a_negative_seed_is_refused(self):
        said = self.refused("import", self.write("t.tsv", "a\tr\tb\n"), "--out", self.folder / "g", "--seed", -1,
                            says="error: --seed: expected a number of at least 0, found -1\n")
        self.assertIn("see hasa import --help", said)
        self.assertFalse((self.folder / "g").exists())

    def test_a_few_bad_lines_are_allowed_and_no_more(self):
        self.write("t.tsv", "a\tr\tb\nbad\nb\tr\ta\n")
        self.good("import", self.folder / "t.tsv", "--out", self.folder / "g", "--bad-lines", 1)
        self.refused("import", self.folder / "t.tsv", "--out", self.folder / "h", "--bad-lines", 0, says="t.tsv:2:4: expected head")
        self.assertFalse((self.folder / "h").exists())

    def test_an_import_that_is_killed_leaves_nothing(self):
        lines = "".join(f"<http://e/{i}> <http://r/{i % 7}> <http://e/{(i * 7) % 90001}> .\n" for i in range(90000))
        triples = self.write("t.nt", lines * 2)
        for wait in (0.02, 0.1, 0.25):
            process = subprocess.Popen([PROGRAM, "import", triples, "--out", self.folder / "g"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(wait)
            process.kill()
            process.wait()
            if (self.folder / "g").exists():  # it was quicker: then the graph is whole
                self.good("info", self.folder / "g")
        self.good("import", triples, "--out", self.folder / "g")
        self.assertEqual([each.name for each in self.folder.iterdir() if each.suffix == ".tmp"], [])

    def test_triples_and_texts_are_added_to_a_graph_that_is_there(self):
        small_benchmark(self.write)
        self.good("import", self.folder / "bench", "--out", self.folder / "graph")
        self.write("more.tsv", "unicorn\tkind_of\tmammal\n")
        self.write("texts.tsv", "dog\tDog\tman's best friend\n")
        audit = json.loads(self.good("import", "--add", self.folder / "graph", self.folder / "more.tsv", "--text",
                                     self.folder / "texts.tsv", "--json"))
        self.assertEqual((audit["entities"], audit["triples"]["train"]), (17, 17))
        self.assertEqual(audit["findings"]["replaced_texts"]["examples"], ["dog"])

    def test_a_graph_is_exported_and_read_back(self):
        small_benchmark(self.write)
        self.good("import", self.folder / "bench", "--out", self.folder / "graph")
        before = json.loads(self.good("info", self.folder / "graph", "--json"))
        for form in ("csv", "jsonl", "ntriples", "kgtk", "openke", "libkge", "pykeen"):
            self.good("export", self.folder / "graph", "--format", form, "--out", self.folder / form)
            self.good("import", self.folder / form, "--out", self.folder / f"{form}-graph")
            after = json.loads(self.good("info", self.folder / f"{form}-graph", "--json"))
            self.assertEqual((after["triples"], after["texts_missing"]), (before["triples"], before["texts_missing"]), form)

    def test_what_is_no_graph_is_refused(self):
        self.refused("info", self.folder, says="graph.bin")
        self.refused("import", self.folder / "nothing", "--out", self.folder / "g", says="there is no")
        small_benchmark(self.write)
        self.write("precious/file.txt", "keep me")
        self.refused("import", self.folder / "bench", "--out", self.folder / "precious", says="precious")
        self.assertEqual((self.folder / "precious/file.txt").read_text(), "keep me")


class Audit(Case):
    def setUp(self):
        super().setUp()
        small_benchmark(self.write)
        self.add("bench/test.txt", "wolf\tlives_with\tdog\n")
        self.add("bench/train.txt", "dog\tlives_with\twolf\n")
        self.good("import", self.folder / "bench", "--out", self.folder / "graph")

    def test_it_says_what_a_score_will_mean(self):
        audit = json.loads(self.good("audit", self.folder / "graph", "--html", self.folder / "audit.html", "--json"))
        found = {finding["key"]: finding for finding in audit["findings"]}
        self.assertEqual(found["reversed"]["count"], 1)
        self.assertIn("occur in training with head", self.good("audit", self.folder / "graph").decode())
        self.assertIn("Findings", (self.folder / "audit.html").read_text())

    def test_a_split_without_leaks_is_one_command_away(self):
        self.good("split", self.folder / "graph", "--by", "leakage-free", "--test", 0.2, "--out", self.folder / "again")
        audit = json.loads(self.good("audit", self.folder / "again", "--json"))
        self.assertNotIn("reversed", [finding["key"] for finding in audit["findings"]])
        self.assertEqual(audit["linked_in_training"]["test"]["triples"], 0)
        self.assertIn("split by leakage-free, seed 1", audit["source"])
        self.refused("split", self.folder / "graph", "--by", "time", "--out", self.folder / "t", says="have no times to split by")


class Train(Case):
    def setUp(self):
        super().setUp()
        small_benchmark(self.write)
        self.good("import", self.folder / "bench", "--out", self.folder / "graph")
        self.config = self.write("c.yaml", f"graph: {self.folder}/graph\nlanguage_model:\n  path: {MODEL}\nmodel:\n  dim: 32\n"
                                           "train:\n  epochs: 4\n  batch: 8\n")

    def train(self, out, *more):
        return self.good("train", "--config", self.config, "--out", self.folder / out, *more)

    def test_train_eval_and_predict_work_on_a_new_graph(self):
        self.train("run")
        scores = json.loads(self.good("eval", self.folder / "run", "--json"))
        self.assertEqual(scores["all"]["queries"], 2)
        self.assertTrue(0 < scores["all"]["mrr"] <= 1)
        self.assertEqual(json.loads(self.good("eval", self.folder / "run", "--split", "valid", "--json"))["split"], "valid")
        answer = json.loads(self.good("predict", self.folder / "run", "--head", "Dog", "--relation", "is a kind of", "--json", "--top", 3))
        self.assertEqual(answer["query"]["head"]["id"], "dog")
        self.assertEqual(len(answer["answers"]), 3)
        known = json.loads(self.good("predict", self.folder / "run", "--relation", "kind_of", "--tail", "mammal", "--json", "--top", 50))["answers"]
        self.assertEqual({a["id"]: a["known"] for a in known if a["known"]}, {"dog": "train", "horse": "train", "cat": "valid"})
        self.assertIn("(?, is a kind of, mammal)", self.good("predict", self.folder / "run", "--relation", "kind_of", "--tail", "mammal").decode())

    def test_a_run_folder_is_not_overwritten(self):
        self.train("run")
        self.refused("train", "--config", self.config, "--out", self.folder / "run", says="--resume")
        self.train("run", "--resume")
        self.refused("train", "--config", self.config, "--out", self.folder / "run", "--resume", "--set", "model.dim=16",
                     says="\"dim: 32\" there, \"dim: 16\" now")

    def test_a_run_is_resumed_by_its_name_alone_and_given_more_epochs(self):
        self.train("run")
        lines = (self.folder / "run/metrics.jsonl").read_text().splitlines()
        self.good("train", "--resume", self.folder / "run")
        self.assertEqual((self.folder / "run/metrics.jsonl").read_text().splitlines(), lines)
        done = hasa("train", "--resume", self.folder / "run", "--set", "train.epochs=6")
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertIn("extended from 4 to 6 epochs", done.stderr.decode())
        longer = (self.folder / "run/metrics.jsonl").read_text().splitlines()
        self.assertEqual((len(longer), longer[:4]), (6, lines))
        self.assertIn("epochs: 6\n", (self.folder / "run/config.yaml").read_text())
        self.good("train", "--resume", self.folder / "run")  # its own config now has six
        self.refused("train", "--resume", self.folder / "run", "--set", "train.epochs=5", says="\"epochs: 6\" there, \"epochs: 5\" now")
        self.refused("train", "--resume", self.folder / "run", "--set", "model.dim=16", says="\"dim: 32\" there")
        self.refused("train", "--resume", self.folder / "nowhere", says="does not exist")
        self.refused("train", "--resume", says="--resume is missing a folder")
        self.refused("train", "--config", self.config, says="--out is missing")

    def test_a_link_to_nothing_is_called_that(self):
        (self.folder / "run").symlink_to("gone")
        said = "run is a link to gone, which does not exist"
        self.refused("train", "--config", self.config, "--out", self.folder / "run", says=said)
        self.refused("import", self.folder / "bench", "--out", self.folder / "run", says=said)
        self.write("s.yaml", "graph: g\nmodel: {dim: {choices: [8, 16]}}\n")
        self.refused("search", "--config", self.folder / "s.yaml", "--out", self.folder / "run", says=said)

    def test_a_marked_config_is_for_search(self):
        self.write("s.yaml", "graph: g\n\nmodel:\n  dim: {choices: [8, 16]}\n")
        self.refused("train", "--config", "s.yaml", "--out", "run", cwd=self.folder,
                     says="option model.dim (s.yaml:4) is marked to be tuned, expected integer\n       hasa search tries")
        self.write("s.yaml", "graph: g\n\nmodel:\n  dim: {choices: [8, 16]}\n\n  dmi: 3\n")
        self.refused("search", "--config", "s.yaml", "--out", "s", cwd=self.folder, says="unknown option model.dmi (s.yaml:6)")
        self.write("s.yaml", "graph: g\n\nmodel:\n  dim: {choices: [8, 9000]}\n")
        self.refused("search", "--config", "s.yaml", "--out", "s", cwd=self.folder, says="s.yaml:4: option model.dim is 9000")

    def test_predict_says_what_a_score_is_and_scores_a_triple(self):
        self.train("run")
        table = self.good("predict", self.folder / "run", "--head", "DOG", "--relation", "Kind_Of", "--top", 3).decode()
        self.assertTrue(table.startswith("(dog, is a kind of, ?)\n"))
        self.assertIn("score: cosine of query and entity", table)
        answer = json.loads(self.good("predict", self.folder / "run", "--head", "dog", "--relation", "IS_A_KIND_OF", "--json", "--top", 50))
        self.assertEqual(answer["query"]["head"]["description"], "the dog is well known")
        self.assertIn("is well known", answer["answers"][0]["description"])
        self.assertIn("cosine", answer["score"])
        scores = {a["id"]: a["score"] for a in answer["answers"]}
        triple = ("predict", self.folder / "run", "--head", "dog", "--relation", "kind of", "--tail", "mammal")
        scored = json.loads(self.good(*triple, "--json"))
        self.assertEqual(scored["known"], "train")
        self.assertEqual(scored["triple"]["tail"]["id"], "mammal")
        self.assertAlmostEqual(scored["as_tail"]["score"], scores["mammal"], places=5)
        words = self.good(*triple).decode()
        self.assertIn("(dog, is a kind of, mammal)  train\n", words)
        self.assertRegex(words, r"\d  rank \d+ of 15 in \(dog, is a kind of, \?\)\n")
        # mammal has three animals, of which dog is asked for: 16 less itself and the other two, one of them in valid
        self.assertRegex(words, r"\d  rank \d+ of 13 in \(\?, is a kind of, mammal\)\n")
        self.refused("predict", self.folder / "run", "--relation", "kind_of", says="or all three to score the triple")

    def test_wide_names_negative_scores_and_control_characters_stay_in_their_columns(self):
        self.write("t.tsv", "".join(f"e{i}\tr\te{(i + 1) % 12}\n" for i in range(12)))
        names = ["犬", "ニホンオオカミ", "dog", "a\x1b[2Jb"]
        self.write("x.tsv", "".join(f"e{i}\t{names[i % 4]} {i}\ttext {i}\n" for i in range(12)))
        self.good("import", self.folder / "t.tsv", "--text", self.folder / "x.tsv", "--out", self.folder / "wide")
        self.write("d.yaml", f"graph: {self.folder}/wide\nmodel: {{type: transe, dim: 16}}\ntables: {{negatives: 4}}\ntrain: {{epochs: 1, batch: 8}}\n")
        self.good("train", "--config", self.folder / "d.yaml", "--out", self.folder / "run")
        table = self.good("predict", self.folder / "run", "--head", "e2", "--relation", "R", "--top", 11).decode()
        self.assertNotIn("\x1b", table)
        self.assertIn("a\\x1B[2Jb", table)
        self.assertIn("distance", table.splitlines()[-1])
        rows = table.splitlines()[1:-1]
        self.assertEqual(len(rows), 11)
        def columns(text):
            return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
        self.assertEqual(len({columns(row[:row.index("text ")]) for row in rows}), 1, table)
        self.assertEqual(len({re.search(r"\.\d\d\d  ", row).start() for row in rows}), 1, table)

    def test_wrong_options_say_what_was_expected_and_where(self):
        for line, says in [("trian:\n  epochs: 3\n", "unknown option trian (bad.yaml:1); did you mean train?"),
                           ("train:\n  epoch: 3\n", "unknown option train.epoch (bad.yaml:2); did you mean train.epochs?"),
                           ("train:\n  epochs: many\n", "option train.epochs (bad.yaml:2) is \"many\", expected an integer"),
                           ("train:\n  epochs: -1\n", "expected a value from 0 to 100000"),
                           ("train:\n  epochs: 3\ntrain:\n  batch: 8\n", "bad.yaml:3: train is given twice, first in line 1"),
                           ("seed: 1\n---\nseed: 2\n", "bad.yaml:3: there are 2 documents"),
                           ("language_model:\n  pool: max\n", "expected mean | cls | pooler"),
                           ("train: [", "not YAML")]:
            self.write("bad.yaml", line)
            self.refused("train", "--config", "bad.yaml", "--out", "run", cwd=self.folder, says=says)
        self.refused("train", "--config", "nope.yaml", "--out", "run", cwd=self.folder, says="nope.yaml")
        self.refused("train", "--config", self.config, "--out", self.folder / "run", "--set", "loss.margn=1",
                     says="unknown option loss.margn; did you mean loss.margin?")
        self.refused("train", "--config", self.config, "--out", self.folder / "run", "--set", "epochs=1",
                     says="unknown option epochs; did you mean train.epochs?")
        self.refused("train", "--config", self.config, "--out", self.folder / "run", "--set", f"graph={self.folder}/nope", says="nope")
        self.assertFalse((self.folder / "run").exists())

    def test_a_config_that_fails_leaves_no_run_behind(self):
        for option in ("text.entity={foo}", "text.entity=hello", "text.max_tokens=500000", "language_model.path=/nope"):
            done = hasa("train", "--config", self.config, "--out", self.folder / "run", "--set", option)
            self.assertEqual(done.returncode, 2, done.stderr.decode())
            self.assertFalse((self.folder / "run").exists(), option)

    def test_another_vocabulary_is_another_language_model(self):
        self.train("one")
        for file in pathlib.Path(MODEL).resolve().iterdir():
            if file.is_file() and file.name != "vocab.txt":
                (self.folder / "lm").mkdir(exist_ok=True)
                (self.folder / "lm" / file.name).symlink_to(file)
        words = (pathlib.Path(MODEL) / "vocab.txt").read_text().split("\n")
        words[2000:3000] = reversed(words[2000:3000])
        self.write("lm/vocab.txt", "\n".join(words))
        self.train("two", "--set", f"language_model.path={self.folder}/lm")
        self.assertNotEqual((self.folder / "one/text.safetensors").read_bytes(), (self.folder / "two/text.safetensors").read_bytes())

    def test_a_damaged_run_says_what_to_do(self):
        self.train("run")
        (self.folder / "run/text.safetensors").write_bytes(b"junk")
        self.refused("eval", self.folder / "run", says="hasa train --resume recreates it")
        (self.folder / "run/text.safetensors").unlink()
        self.train("run", "--resume")
        self.good("eval", self.folder / "run")
        (self.folder / "run/run.json").write_text('{"format": 99, "hasa": "9.9.9", "graph_hash": "0"}')
        self.refused("eval", self.folder / "run", says="9.9.9")

    def test_a_moved_graph_is_found_with_graph(self):
        self.train("run")
        (self.folder / "graph").rename(self.folder / "elsewhere")
        self.refused("eval", self.folder / "run", says="give its folder with --graph")
        self.good("eval", self.folder / "run", "--graph", self.folder / "elsewhere")

    def test_a_split_without_triples_has_no_scores(self):
        self.write("t.tsv", "a\tr\tb\nc\tr\td\n")
        self.good("import", self.folder / "t.tsv", "--out", self.folder / "tiny")
        self.train("run", "--set", f"graph={self.folder}/tiny")
        self.refused("eval", self.folder / "run", says="has no triples to rank")

    def test_names_given_wrongly_suggest_close_ones(self):
        self.train("run")
        run = self.folder / "run"
        self.refused("predict", run, "--head", "sparow", "--relation", "kind_of", says="did you mean sparrow?")
        self.refused("predict", run, "--head", "dog", "--relation", "kind", says="kind_of")
        self.refused("predict", run, "--relation", "kind_of", says="--head and --relation")
        self.refused("eval", self.folder, says="is not a run folder")

    def test_a_run_knows_when_its_graph_has_changed(self):
        self.train("run")
        self.add("bench/train.txt", "bee\tlives_with\tant\n")
        self.good("import", self.folder / "bench", "--out", self.folder / "graph")
        self.refused("eval", self.folder / "run", says="the graph has changed")

    def test_killed_at_any_moment_it_resumes_to_the_same_weights(self):
        self.config.write_text(self.config.read_text().replace("epochs: 4", "epochs: 60"))
        self.train("whole")
        for stop, delay in ((signal.SIGKILL, 0.5), (signal.SIGTERM, 0.8)):
            out = f"cut-{stop.name}"
            started = subprocess.Popen([PROGRAM, "train", "--config", self.config, "--out", self.folder / out],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while not (self.folder / out / "last.safetensors").exists() and started.poll() is None:
                time.sleep(0.01)
            time.sleep(delay / 10)
            started.send_signal(stop)
            started.wait()
            self.train(out, "--resume")
            self.assertEqual((self.folder / "whole/best/model.safetensors").read_bytes(), (self.folder / out / "best/model.safetensors").read_bytes())


class Bench(Case):
    def test_measures_the_steps_of_a_config_and_what_stands_beside_them(self):
        small_benchmark(self.write)
        self.good("import", self.folder / "bench", "--out", self.folder / "graph")
        write_tiny_bert(self.folder / "lm")
        config = self.write("c.yaml", f"graph: {self.folder}/graph\ndevice: cpu\nlanguage_model:\n  path: {self.folder}/lm\n"
                                      "model:\n  type: text\ntrain:\n  batch: 4\n")
        measured = json.loads(self.good("bench", "--config", config, "--steps", 2, "--memory-limit", "4G", "--json"))
        self.assertEqual(measured["steps"], 2)
        self.assertGreater(measured["triples_per_second"], 0)
        self.assertEqual([part["name"] for part in measured["parts_beside"]],
                         ["opening", "tokenising", "bank", "mining", "ranking"])
        self.assertIn("triples", self.good("bench", "--config", config, "--steps", 1, "--steps-alone").decode())

        # Mined negatives are those of a trained model: at least two minings are compared before steps are measured.
        measured = json.loads(self.good("bench", "--config", config, "--steps", 2, "--steps-alone", "--json",
                                        "--set", "negatives.hard=2", "--set", "negatives.refresh_steps=7"))
        self.assertEqual(measured["steps_before"] % 7, 0)
        self.assertGreaterEqual(measured["steps_before"], 14)

    def test_refuses_the_options_that_training_refuses(self):
        small_benchmark(self.write)
        self.good("import", self.folder / "bench", "--out", self.folder / "graph")
        config = self.write("c.yaml", f"graph: {self.folder}/graph\ndevice: cpu\nmodel:\n  type: text\n")
        self.refused("bench", "--config", config, "--set", "loss.kind=hasa", "--set", "negatives.refresh=overwrite",
                     says="negatives.refresh has no effect without mined negatives")


class OptionsThatDoNotGoTogether(Case):
    """Refused before anything is read or written, with what to do instead."""

    def refused_with(self, *options, says):
        if not (self.folder / "graph").exists():
            small_benchmark(self.write)
            self.good("import", self.folder / "bench", "--out", self.folder / "graph")
            write_tiny_bert(self.folder / "lm")
        config = self.write("c.yaml", f"graph: {self.folder}/graph\ndevice: cpu\nlanguage_model:\n  path: {self.folder}/lm\n")
        sets = [word for option in options for word in ("--set", option)]
        said = self.refused("train", "--config", config, "--out", self.folder / "run", *sets, says=says[0])
        for words in says[1:]:
            self.assertIn(words, said)
        self.assertFalse((self.folder / "run").exists())

    def test_texts_longer_than_the_language_model_reads(self):
        self.refused_with("model.type=text", "text.max_tokens=120", says=("up to 145 tokens, but lm reads at most 128", "set text.max_tokens to at most 103"))
        self.refused_with("text.max_tokens=200", says=("text.max_tokens is 200, but lm reads at most 128", "set it to at most 128"))

    def test_more_layers_than_the_language_model_has(self):
        self.refused_with("model.type=text", "model.tuned_layers=12", says=("model.tuned_layers is 12, but the language model has 2 layers", "set it to at most 2"))
        self.refused_with("model.type=text", "model.tuned_layers=0", says=("leaves nothing to train", "model.query=gru"))

    def test_a_language_model_that_is_not_there(self):
        self.refused_with("language_model.path=bert-base-uncased-not", says=("there is no language model bert-base-uncased-not", "set HASA_MODELS to the folder that holds it"))
        self.refused_with("model.type=text", f"language_model.path={self.folder}/nowhere", says=("there is no language model",))
        self.refused_with("language_model.path=", says=("no language model given",))

    def test_training_in_bf16_on_a_cpu(self):
        self.refused_with("model.type=text", "language_model.precision=bf16", says=("on a CPU a language model is fine-tuned in fp32", "set it to auto or fp32"))

    def test_over_a_frozen_language_model_what_only_a_trained_one_reads(self):
        for option in ("text.context=4", "negatives.hard=2", "train.chunk_tokens=99"):
            self.refused_with(option, says=(f"unknown option {option.split('=')[0]}: model.type is frozen, and only model.type=text", "has it", "set model.type first"))
        self.refused_with("model.tuned_layers=2", says=("unknown option model.tuned_layers: model.type is frozen, and only model.type=text", "has it", "set model.type first"))

    def test_negatives_that_make_no_sense(self):
        self.refused_with("model.type=text", "loss.kind=hasa", "train.batch=1", "negatives.heads=0", says=("without other candidates has no negatives", "train.batch"))
        self.refused_with("model.type=text", "loss.kind=hasa", "negatives.refresh=overwrite", says=("negatives.refresh has no effect without mined negatives", "negatives.hard"))
        self.refused_with("model.type=text", "loss.paper_listing=yes", says=("loss.paper_listing is a form of HaSa", "loss.kind=hasa"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
