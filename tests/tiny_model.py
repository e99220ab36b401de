"""A language model and a graph small enough to be trained in a second, written as ordinary files."""

import json
import random
import string
import struct

import numpy as np

HIDDEN, WIDE, LAYERS, POSITIONS = 16, 32, 2, 128


def write_safetensors(path, tensors):
    """tensors: name -> float32 array."""
    header, place = {"__metadata__": {"format": "pt"}}, 0
    for name, values in tensors.items():
        header[name] = {"dtype": "F32", "shape": list(values.shape), "data_offsets": [place, place + values.nbytes]}
        place += values.nbytes
    words = json.dumps(header).encode()
    words += b" " * (-len(words) % 8)
    path.write_bytes(struct.pack("<Q", len(words)) + words + b"".join(values.astype("<f4").tobytes() for values in tensors.values()))


def read_safetensors(path):
    """(name -> (dtype, shape, bytes), metadata)"""
    raw = path.read_bytes()
    length = struct.unpack("<Q", raw[:8])[0]
    header = json.loads(raw[8:8 + length])
    about = header.pop("__metadata__", {})
    place = 8 + length
    return {name: (t["dtype"], t["shape"], raw[place + t["data_offsets"][0]:place + t["data_offsets"][1]])
            for name, t in header.items()}, about


def write_tiny_bert(folder, seed=3):
    """A BERT of two small layers with random weights. Every lower-case word can be spelled with its vocabulary."""
    rng = np.random.default_rng(seed)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *";:,.-"]
    words += [mark + c for mark in ("", "##") for c in string.ascii_lowercase + string.digits]
    folder.mkdir()
    (folder / "vocab.txt").write_text("".join(word + "\n" for word in words))
    (folder / "config.json").write_text(json.dumps({
        "model_type": "bert", "architectures": ["BertModel"], "vocab_size": len(words), "hidden_size": HIDDEN,
        "num_hidden_layers": LAYERS, "num_attention_heads": 2, "intermediate_size": WIDE, "hidden_act": "gelu",
        "max_position_embeddings": POSITIONS, "type_vocab_size": 2, "layer_norm_eps": 1e-12, "hidden_dropout_prob": 0.1,
        "attention_probs_dropout_prob": 0.1, "position_embedding_type": "absolute"}))
    tensors = {}

    def matrix(name, rows, columns):
        tensors[name + ".weight"] = (rng.standard_normal((rows, columns)) * 0.3).astype(np.float32)

    def linear(name, out, into):
        matrix(name, out, into)
        tensors[name + ".bias"] = (rng.standard_normal(out) * 0.1).astype(np.float32)

    def norm(name):
        tensors[name + ".weight"] = np.ones(HIDDEN, np.float32)
        tensors[name + ".bias"] = np.zeros(HIDDEN, np.float32)

    matrix("embeddings.word_embeddings", len(words), HIDDEN)
    matrix("embeddings.position_embeddings", POSITIONS, HIDDEN)
    matrix("embeddings.token_type_embeddings", 2, HIDDEN)
    norm("embeddings.LayerNorm")
    for layer in (f"encoder.layer.{i}." for i in range(LAYERS)):
        for part in ("query", "key", "value"):
            linear(layer + "attention.self." + part, HIDDEN, HIDDEN)
        linear(layer + "attention.output.dense", HIDDEN, HIDDEN)
        norm(layer + "attention.output.LayerNorm")
        linear(layer + "intermediate.dense", WIDE, HIDDEN)
        linear(layer + "output.dense", HIDDEN, WIDE)
        norm(layer + "output.LayerNorm")
    linear("pooler.dense", HIDDEN, HIDDEN)
    write_safetensors(folder / "model.safetensors", tensors)


def write_small_benchmark(folder, seed=1, entities=40, triples=180):
    """A random graph with a few words about each entity."""
    rng = random.Random(seed)
    found = {}
    while len(found) < triples:
        head, tail = rng.randrange(entities), min(rng.randrange(entities), rng.randrange(entities))
        if head != tail:
            found[f"e{head}\tr{(head + tail) % 3}\te{tail}"] = None
    rows = list(found)
    folder.mkdir()
    for name, part in (("train", rows[20:]), ("valid", rows[:10]), ("test", rows[10:20])):
        (folder / f"{name}.txt").write_text("".join(row + "\n" for row in part))
    words = ["red", "old", "swift", "quiet", "round", "tall", "warm", "odd", "plain", "dry"]
    (folder / "entities.tsv").write_text("".join(
        f"e{i}\tthing {i}\ta {rng.choice(words)} and {rng.choice(words)} one\n" for i in range(entities)))
    (folder / "relations.tsv").write_text("r0\tlikes\nr1\tknows\nr2\tis part of\n")
