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


class TinyEncoder:
    """Two small layers with random weights, under the names of transformers; every lower-case word can be spelled."""

    def __init__(self, specials, seed):
        self.rng = np.random.default_rng(seed)
        self.tensors = {}
        self.words = [*specials, *";:,.-"]
        self.words += [mark + c for mark in ("", "##") for c in string.ascii_lowercase + string.digits]

    def matrix(self, name, rows, columns):
        self.tensors[name + ".weight"] = (self.rng.standard_normal((rows, columns)) * 0.3).astype(np.float32)

    def linear(self, name, out, into):
        self.matrix(name, out, into)
        self.tensors[name + ".bias"] = (self.rng.standard_normal(out) * 0.1).astype(np.float32)

    def norm(self, name):
        self.tensors[name + ".weight"] = np.ones(HIDDEN, np.float32)
        self.tensors[name + ".bias"] = np.zeros(HIDDEN, np.float32)

    def layers(self, query, key, value, out, out_norm):
        for layer in (f"encoder.layer.{i}." for i in range(LAYERS)):
            for part in (query, key, value, out):
                self.linear(layer + "attention." + part, HIDDEN, HIDDEN)
            self.norm(layer + "attention." + out_norm)
            self.linear(layer + "intermediate.dense", WIDE, HIDDEN)
            self.linear(layer + "output.dense", HIDDEN, WIDE)
            self.norm(layer + "output.LayerNorm")
        self.linear("pooler.dense", HIDDEN, HIDDEN)

    def write(self, folder, **config):
        folder.mkdir()
        (folder / "vocab.txt").write_text("".join(word + "\n" for word in self.words))
        (folder / "config.json").write_text(json.dumps({
            **config, "vocab_size": len(self.words), "hidden_size": HIDDEN, "num_hidden_layers": LAYERS,
            "num_attention_heads": 2, "intermediate_size": WIDE, "hidden_act": "gelu",
            "max_position_embeddings": POSITIONS, "layer_norm_eps": 1e-12, "hidden_dropout_prob": 0.1,
            "attention_probs_dropout_prob": 0.1}))
        write_safetensors(folder / "model.safetensors", self.tensors)


def write_tiny_bert(folder, seed=3):
    bert = TinyEncoder(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"], seed)
    bert.matrix("embeddings.word_embeddings", len(bert.words), HIDDEN)
    bert.matrix("embeddings.position_embeddings", POSITIONS, HIDDEN)
    bert.matrix("embeddings.token_type_embeddings", 2, HIDDEN)
    bert.norm("embeddings.LayerNorm")
    bert.layers("self.query", "self.key", "self.value", "output.dense", "output.LayerNorm")
    bert.write(folder, model_type="bert", architectures=["BertModel"], type_vocab_size=2, position_embedding_type="absolute")


def write_tiny_mpnet(folder, seed=3):
    """Two separators in a pair, no token types, and one bias of attention by distance that all layers share."""
    mpnet = TinyEncoder(["<s>", "<pad>", "</s>", "<unk>", "[UNK]", "<mask>"], seed)
    mpnet.matrix("embeddings.word_embeddings", len(mpnet.words), HIDDEN)
    mpnet.matrix("embeddings.position_embeddings", POSITIONS, HIDDEN)
    mpnet.norm("embeddings.LayerNorm")
    mpnet.matrix("encoder.relative_attention_bias", 32, 2)
    mpnet.layers("attn.q", "attn.k", "attn.v", "attn.o", "LayerNorm")
    mpnet.write(folder, model_type="mpnet", architectures=["MPNetModel"], relative_attention_num_buckets=32)


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
