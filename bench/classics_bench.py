#!/usr/bin/env python3
"""Triples a second of models without text, hasa's and PyKEEN's, on the same CPU one after the other.

usage: bench/classics_bench.py --hasa build/hasa --graph graphs/WN18RR --data data/WN18RR [--steps 12] [--threads 2]

Both train with batches of 1,024 triples, 256 negatives drawn for each triple alone, the self-adversarial loss and Adam.
A triple counts as one for each direction it is asked in: PyKEEN replaces its head or its tail, hasa asks each in a
triple of its own. Wall-clock time of whole steps after a warm-up. The last column is hasa with Adam where every 64
triples of a step share their negatives, which is another training and is compared with nothing.
"""
import argparse
import json
import pathlib
import subprocess
import tempfile
import time

BATCH, NEGATIVES, SHARED = 1024, 256, 64
MODELS = {"transe": 500, "rotate": 1000, "complex": 500}  # numbers an entity has

CONFIG = """
graph: {graph}
device: cpu
model: {{type: {model}, dim: {dim}}}
tables: {{training: negative_sampling, loss: self_adversarial, offset: 9, temperature: 0.5, negatives: {negatives},
          shared: {shared}}}
optimiser: {{kind: {kind}, lr: 1e-3, weight_decay: 0}}
train: {{epochs: 1, batch: {batch}}}
"""


def hasa_rate(args, model, dim, kind, shared=0):
    text = CONFIG.format(graph=pathlib.Path(args.graph).absolute(), model=model, dim=dim, negatives=NEGATIVES,
                         batch=BATCH, kind=kind, shared=shared)
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as config:
        config.write(text)
        config.flush()
        command = [args.hasa, "--quiet", "--threads", str(args.threads), "bench", "--config", config.name,
                   "--steps", str(args.steps), "--json"]
        timing = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return BATCH / (timing["milliseconds"] / 1e3)


def pykeen_rate(args, model, dim):
    import torch
    from pykeen.losses import NSSALoss
    from pykeen.models import ComplEx, RotatE, TransE
    from pykeen.training import SLCWATrainingLoop
    from pykeen.triples import TriplesFactory

    torch.set_num_threads(args.threads)
    factory = TriplesFactory.from_path(pathlib.Path(args.data) / "train.txt")
    torch.manual_seed(0)
    given = {"triples_factory": factory, "loss": NSSALoss(margin=9, adversarial_temperature=0.5), "random_seed": 0}
    if model == "transe":
        net = TransE(embedding_dim=dim, scoring_fct_norm=1, **given)
    else:
        net = {"rotate": RotatE, "complex": ComplEx}[model](embedding_dim=dim // 2, **given)
    part = factory.clone_and_exchange_triples(factory.mapped_triples[:args.peer_steps * BATCH])
    loop = SLCWATrainingLoop(model=net, triples_factory=part, optimizer=torch.optim.Adam(net.parameters(), lr=1e-3),
                             negative_sampler_kwargs={"num_negs_per_pos": NEGATIVES})

    def train(epochs):  # counted from the start
        loop.train(triples_factory=part, num_epochs=epochs, batch_size=BATCH, use_tqdm=False, use_tqdm_batch=False)

    train(1)
    start = time.perf_counter()
    train(2)
    return BATCH * args.peer_steps / (time.perf_counter() - start)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--hasa", default="build/hasa")
    parser.add_argument("--graph", required=True, help="graph folder written by hasa import")
    parser.add_argument("--data", required=True, help="folder with train.txt of the same graph")
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--peer-steps", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    print(f"{'model':<10}{'numbers':>8}{'PyKEEN':>10}{'hasa adam':>12}{'ratio':>8}{'hasa row_adagrad':>18}{'ratio':>8}"
          f"{'hasa shared':>13}")
    for model, dim in MODELS.items():
        peer = pykeen_rate(args, model, dim)
        adam = hasa_rate(args, model, dim, "adamw")
        rows = hasa_rate(args, model, dim, "row_adagrad")
        shared = hasa_rate(args, model, dim, "adamw", SHARED)
        print(f"{model:<10}{dim:>8}{peer:>10,.0f}{adam:>12,.0f}{adam / peer:>8.1f}{rows:>18,.0f}{rows / peer:>8.1f}"
              f"{shared:>13,.0f}",
              flush=True)


if __name__ == "__main__":
    main()
