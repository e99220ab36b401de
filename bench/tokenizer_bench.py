#!/usr/bin/env python3
"""Times hasa's tokenizer against Hugging Face's `tokenizers`, in one process, on one thread.

    bench/tokenizer_bench.py --model DIR --module build/python [--json FILE]

The texts are the benchmark graphs' ("name: description") from HASA_DATA, or WordNet's glosses where that is not
set. Each repeat times both, one after the other; ids are compared first. Both are given the same lists of strings;
hasa gives back two arrays, tokenizers a list of Encoding objects, which is what each offers.

The ratio is of processor time. On a busy machine wall time flatters the faster of the two: its run fits between
interruptions that the slower one has to sit through. Texts go in batches of 1,000, which suits tokenizers best: all
of them at once cost it 1.4 times as much.
"""

import argparse
import json
import os
import pathlib
import platform
import statistics
import sys
import time

os.environ["RAYON_NUM_THREADS"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"

import tokenizers  # noqa: E402  (reads the settings above)


def benchmark_texts(folder):
    for file in sorted(pathlib.Path(folder).glob("*/entities.tsv")):
        for line in file.read_bytes().decode("utf-8", "replace").split("\n"):
            fields = line.split("\t")
            if len(fields) >= 3:
                yield f"{fields[1]}: {fields[2]}"


def wordnet_glosses(folder):
    for file in sorted(folder.glob("data.*")):
        for line in file.read_text(errors="replace").split("\n"):
            words, bar, gloss = line.partition(" | ")
            if bar and not line.startswith(" "):
                yield f"{words.split(' ')[4].replace('_', ' ')}: {gloss.strip()}"


def find_texts():
    folder = os.environ.get("HASA_DATA", "")
    if folder and os.path.isdir(folder):
        return "benchmark graphs", list(benchmark_texts(folder))
    wordnet = pathlib.Path("/usr/share/wordnet")
    if not wordnet.is_dir():
        sys.exit("no texts: set HASA_DATA to the benchmark graphs, or install wordnet-base")
    return "WordNet glosses", list(wordnet_glosses(wordnet))


def peer_of(model, lower_case):
    """tokenizers' BertWordPieceTokenizer, checked to hold the folder's vocabulary."""
    vocab = model / "vocab.txt"
    peer = tokenizers.BertWordPieceTokenizer(str(vocab), lowercase=lower_case)
    lines = vocab.read_text(encoding="utf-8").split("\n")
    expected = {token.rstrip(): i for i, token in enumerate(lines) if token}
    assert peer.get_vocab() == expected, "tokenizers did not load this vocabulary"
    return peer._tokenizer  # the wrapper has no encode_batch_fast


def measure(encode, batches):
    """Processor and wall seconds for all batches, results dropped as they come."""
    wall, cpu = time.perf_counter(), time.process_time()
    for batch in batches:
        encode(batch)
    return time.process_time() - cpu, time.perf_counter() - wall


def summary(measured):
    cpu, wall = zip(*measured)
    return {"cpu_median": statistics.median(cpu), "cpu_min": min(cpu), "wall_median": statistics.median(wall)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=pathlib.Path, default=os.environ.get("HASA_MINILM"), help="Hugging Face folder")
    parser.add_argument("--module", default="build/python", help="folder of the built Python module")
    parser.add_argument("--batch", type=int, default=1000, help="texts a call, for both")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--json", type=pathlib.Path, help="write the figures here")
    options = parser.parse_args()
    if options.model is None:
        parser.error("--model or HASA_MINILM is needed")
    options.model = pathlib.Path(options.model)
    sys.path.insert(0, options.module)
    import hasa

    source, texts = find_texts()
    config_file = options.model / "tokenizer_config.json"
    config = json.loads(config_file.read_text()) if config_file.exists() else {}
    peer = peer_of(options.model, config.get("do_lower_case", True))
    ours = hasa.Tokenizer(options.model)

    ids, offsets = ours.encode_batch(texts)
    ids, offsets = ids.tolist(), offsets.tolist()
    theirs = peer.encode_batch_fast(texts)
    different = sum(ids[offsets[i] : offsets[i + 1]] != encoding.ids for i, encoding in enumerate(theirs))
    if different:
        sys.exit(f"ids differ for {different:,} of {len(texts):,} texts")
    del theirs

    batches = [texts[begin : begin + options.batch] for begin in range(0, len(texts), options.batch)]
    ours_measured, theirs_measured = [], []
    for _ in range(options.repeats):
        ours_measured.append(measure(ours.encode_batch, batches))
        theirs_measured.append(measure(peer.encode_batch_fast, batches))
    ratios = [theirs[0] / mine[0] for mine, theirs in zip(ours_measured, theirs_measured)]

    megabytes = sum(len(text.encode()) for text in texts) / 1e6
    figures = {
        "texts": len(texts), "source": source, "megabytes": round(megabytes, 3), "ids": len(ids), "identical": True,
        "batch": options.batch, "repeats": options.repeats, "threads": 1, "load": os.getloadavg()[0],
        "machine": platform.processor() or platform.machine(), "tokenizers": tokenizers.__version__,
        "hasa": hasa.__version__, "hasa_seconds": summary(ours_measured), "tokenizers_seconds": summary(theirs_measured),
        "cpu_ratio": {"median": statistics.median(ratios), "worst": min(ratios)},
    }
    print(f"{len(texts):,} texts ({source}), {megabytes:.1f} MB, {len(ids):,} ids, one thread, ids identical")
    for name in ("hasa", "tokenizers"):
        times = figures[f"{name}_seconds"]
        print(f"{name:11} cpu median {times['cpu_median']:7.4f} s  min {times['cpu_min']:7.4f} s  "
              f"{megabytes / times['cpu_median']:6.1f} MB/s  (wall {times['wall_median']:.4f} s)")
    print(f"cpu ratio   median {statistics.median(ratios):.1f}  worst {min(ratios):.1f}  (load {figures['load']:.1f})")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
