#!/usr/bin/env python3
"""Re-makes tests/recorded/encoder: what transformers computes, in float32, for the encoder's tests.

  record_encoder.py --minilm DIR --bert DIR [--out tests/recorded/encoder]

Run it with the environment of the yardsticks (transformers, torch, safetensors). For MiniLM and BERT-base it
stores token ids and a part of the last hidden states; for MPNet it makes a small model with random weights, a
whole Hugging Face folder, so that its tests need nothing from outside.
"""

import argparse
import json
import pathlib

import torch
import transformers
from safetensors.torch import save_file

TEXTS = [
    "dog",
    "dog: a member of the genus Canis",
    "Schleswig-Holstein is the northernmost of the sixteen states of Germany",
    "take a breath: draw air into, and expel out of, the lungs; \"I can breathe better when the air is clean\"",
    "Zürich: naïve café, 東京, 12,345.67 km² away",
    " ".join(f"word{i} of a long text" for i in range(12)),
]
KEPT = 48  # columns of each hidden state: enough to see any mistake, and the files stay small


def record(folder, out, name):
    """Ids, and the first columns of all tokens' last hidden states, one text at a time: no padding."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModel.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    ids, hidden, pooled = [], [], []
    for text in TEXTS:
        encoded = tokenizer(text, return_tensors="pt", truncation=True, max_length=64)
        with torch.no_grad():
            result = model(**encoded)
        ids.append(encoded["input_ids"][0])
        hidden.append(result.last_hidden_state[0, :, :KEPT])
        pooled.append(result.pooler_output[0, :KEPT])
    save(out / f"{name}.safetensors", ids, hidden, pooled)


def save(path, ids, hidden, pooled):
    lengths = torch.tensor([len(each) for each in ids])
    offsets = torch.cat([torch.zeros(1, dtype=torch.int64), lengths.cumsum(0)])
    save_file(
        {
            "ids": torch.cat(ids).to(torch.int64),
            "offsets": offsets,
            "hidden": torch.cat(hidden).contiguous(),
            "pooler": torch.stack(pooled),
        },
        path,
        {"transformers": transformers.__version__, "torch": torch.__version__},
    )
    print(path, f"{path.stat().st_size:,} bytes, {int(offsets[-1])} tokens")


def record_mpnet(out):
    """Weights larger than training starts with, so that position bias and attention really matter."""
    torch.manual_seed(20)
    config = transformers.MPNetConfig(
        vocab_size=90, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
        max_position_embeddings=202, initializer_range=0.4, layer_norm_eps=1e-5,
    )
    config._attn_implementation = "eager"
    model = transformers.MPNetModel(config).eval().to(torch.float32)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() == 1:
                parameter += 0.1 * torch.randn_like(parameter)
    folder = out / "mpnet"
    folder.mkdir(exist_ok=True)
    model.save_pretrained(folder)
    words = ["<s>", "<pad>", "</s>", "[UNK]"] + [f"word{i}" for i in range(85)] + ["<mask>"]
    (folder / "vocab.txt").write_text("\n".join(words) + "\n", encoding="utf-8")

    ids, hidden, pooled = [], [], []
    for length in (1, 2, 9, 20, 64, 200):  # 200: past the farthest bucket of the position bias
        text = torch.cat([torch.tensor([0]), torch.randint(4, 90, (length - 1,))])
        with torch.no_grad():
            result = model(input_ids=text[None])
        ids.append(text)
        hidden.append(result.last_hidden_state[0])
        pooled.append(result.pooler_output[0])
    save(out / "mpnet.safetensors", ids, hidden, pooled)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minilm", type=pathlib.Path, required=True)
    parser.add_argument("--bert", type=pathlib.Path, required=True)
    root = pathlib.Path(__file__).resolve().parent.parent
    parser.add_argument("--out", type=pathlib.Path, default=root / "tests/recorded/encoder")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    record(args.minilm, args.out, "minilm")
    record(args.bert, args.out, "bert_base")
    record_mpnet(args.out)


if __name__ == "__main__":
    main()
