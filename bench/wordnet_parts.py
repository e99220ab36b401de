"""Random connected parts of the system's WordNet, with texts: small graphs such as a first user brings.

    python bench/wordnet_parts.py --triples 300 --seed 7 --out parts/seed-7     writes triples.tsv and texts.tsv

A part grows from a random synset: again and again a random link that leaves it is followed, and the synset found
comes in with all its links to the part, until there are enough. The same seed gives the same part.
"""

import argparse
import pathlib
import random

WORDNET = pathlib.Path("/usr/share/wordnet")
RELATIONS = {"@": "hypernym", "@i": "instance hypernym", "#m": "member of", "#s": "substance of", "#p": "part of",
             "+": "derivationally related form", ";c": "domain topic", ";r": "domain region", ";u": "domain usage",
             "!": "antonym", "=": "attribute", "*": "entails", ">": "causes", "^": "also see", "$": "verb group",
             "&": "similar to", "<": "participle of", "\\": "pertains to"}


def read_wordnet(folder=WORDNET):
    """Texts {synset: (name, gloss)} and triples [(head, relation, tail)], each once, in the order of the files."""
    texts, triples = {}, {}
    for name in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"data.{name}").read_text(encoding="utf-8").splitlines():
            if line.startswith(" "):
                continue  # the licence
            fields, gloss = line.split(" | ", 1)
            fields = fields.split(" ")
            part = fields[2].replace("s", "a")
            words = int(fields[3], 16)
            names = [fields[4 + 2 * i].split("(")[0].replace("_", " ") for i in range(words)]
            synset = part + fields[0]
            texts[synset] = (", ".join(names[:2]), gloss.strip())
            at = 4 + 2 * words
            for symbol, offset, pos, _ in (fields[at + 1 + 4 * i:at + 5 + 4 * i] for i in range(int(fields[at]))):
                if symbol in RELATIONS:
                    triples[synset, RELATIONS[symbol], pos.replace("s", "a") + offset] = None
    return texts, list(triples)


def grow(triples, count, seed):
    """`count` triples that hang together."""
    links = {}
    for triple in triples:
        for end in {triple[0], triple[2]}:
            links.setdefault(end, []).append(triple)
    draw = random.Random(seed)
    while True:
        inside, taken, leaving = set(), {}, []

        def take(synset):
            inside.add(synset)
            for triple in links[synset]:
                if triple[0] in inside and triple[2] in inside:
                    taken[triple] = None
                else:
                    leaving.append(triple)

        take(draw.choice(list(links)))
        while leaving and len(taken) < count:
            at = draw.randrange(len(leaving))
            leaving[at], leaving[-1] = leaving[-1], leaving[at]
            head, _, tail = leaving.pop()
            if head not in inside or tail not in inside:
                take(tail if head in inside else head)
        if len(taken) >= count:
            return list(taken)[:count]


def write(folder, texts, triples):
    folder.mkdir(parents=True, exist_ok=True)
    entities = dict.fromkeys(end for head, _, tail in triples for end in (head, tail))
    (folder / "triples.tsv").write_text("".join("\t".join(t) + "\n" for t in triples))
    (folder / "texts.tsv").write_text("".join("\t".join((e, *texts[e])) + "\n" for e in entities))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--triples", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    options = parser.parse_args()
    texts, triples = read_wordnet()
    write(options.out, texts, grow(triples, options.triples, options.seed))


if __name__ == "__main__":
    main()
