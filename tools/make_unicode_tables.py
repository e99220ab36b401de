#!/usr/bin/env python3
"""Writes src/hasa/text/unicode_tables.cpp: what Hugging Face's BERT normaliser does to each code point.

    .venv/bin/python tools/make_unicode_tables.py src/hasa/text/unicode_tables.cpp

The parts of `tokenizers` carry Unicode tables of different versions, so no single version of the standard would
give the same ids. Every property is therefore read off the library itself, one code point at a time, in ten
seconds. --check compares with the file instead of writing it.
"""

import argparse
import pathlib
import sys
import unicodedata

import tokenizers
from tokenizers.normalizers import NFD, BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

CODE_POINTS = [c for c in range(0x110000) if not 0xD800 <= c <= 0xDFFF]
REMOVED, SPACE, CJK, PUNCTUATION, MARK, DECOMPOSES, LOWER = (1 << bit for bit in range(8, 15))
BLOCK_BITS = 7
HANGUL = range(0xAC00, 0xAC00 + 11172)

# Characters first assigned in a version, one for each property that tells versions apart.
PUNCTUATION_WITNESSES = {"7.0": 0x2E42, "8.0": 0x1173C, "9.0": 0x1144B, "10.0": 0x2E49, "11.0": 0x2E4E}
MARK_WITNESSES = {"7.0": 0x1AB0, "8.0": 0x8E3, "9.0": 0x8D4, "10.0": 0x1DF6, "11.0": 0x7FD}
ORDER_WITNESSES = {"8.0": 0x8E3, "9.0": 0x1E000, "10.0": 0x1DF6, "11.0": 0x7FD, "12.0": 0x1E130, "13.0": 0x1ABF,
                   "14.0": 0x898, "15.0": 0x10EFD, "16.0": 0x897}
LOWER_WITNESSES = {"9.0": 0xA7AE, "11.0": 0x1C90, "12.0": 0xA7BA, "13.0": 0xA7C7, "14.0": 0xA7C0, "16.0": 0xA7CB,
                   "17.0": 0x16EA0}


def bert(**only):
    settings = dict(clean_text=False, handle_chinese_chars=False, strip_accents=False, lowercase=False)
    return BertNormalizer(**{**settings, **only}).normalize_str


def changed(function):
    """What a normaliser makes of each code point that it changes."""
    results = ((c, function(chr(c))) for c in CODE_POINTS)
    return {c: text for c, text in results if text != chr(c)}


def combining_classes(decomposed):
    """Canonical combining classes, from the order in which NFD puts two characters.

    References of each class come from Python's tables; that they behave as such is checked here too.
    """
    nfd = NFD().normalize_str

    def moves(first, second):
        return first != second and nfd("a" + first + second) == "a" + second + first

    low, high = "\u0334", "\u0345"  # of the smallest and the largest class
    combining = [chr(c) for c in CODE_POINTS if c not in decomposed and (moves(high, chr(c)) or moves(chr(c), low))]
    references = {}
    for tables in (unicodedata.ucd_3_2_0, unicodedata):  # old characters first: every version knows them
        for c in combining:
            references.setdefault(tables.combining(c), c)
    del references[0]
    order = sorted(references)
    assert references[order[0]] == low and references[order[-1]] == high
    for smaller, larger in zip(order, order[1:]):
        assert moves(references[larger], references[smaller]), f"classes {smaller} and {larger} are not apart"

    classes = {}
    for c in combining:
        below = [v for v in order if moves(c, references[v])]  # classes smaller than this one
        above = [v for v in order if moves(references[v], c)]
        same = [v for v in order if v not in below and v not in above]
        assert len(same) == 1, f"U+{ord(c):04X} has a combining class without a reference"
        classes[ord(c)] = same[0]
    for value, reference in references.items():
        assert classes.get(ord(reference)) == value, f"U+{ord(reference):04X} is not of class {value}"
    return classes


def hangul(c):
    """The decomposition of a Hangul syllable, as the standard computes it."""
    lead, rest = divmod(c - 0xAC00, 588)
    vowel, tail = divmod(rest, 28)
    return chr(0x1100 + lead) + chr(0x1161 + vowel) + (chr(0x11A7 + tail) if tail else "")


def newest(witnesses, known):
    """The version before the first whose character is not known."""
    found = None
    for version, c in witnesses.items():
        if c not in known:
            break
        found = version
    return found


def observe():
    cleaned = changed(bert(clean_text=True))
    removed = {c for c, text in cleaned.items() if text == ""}
    spaces = {c for c, text in cleaned.items() if text == " "} | {0x20}
    assert len(removed) + len(spaces) - 1 == len(cleaned), "the clean-up does more than remove and make spaces"

    cjk = changed(bert(handle_chinese_chars=True))
    assert all(text == f" {chr(c)} " for c, text in cjk.items())

    decomposed = changed(NFD().normalize_str)
    assert all(decomposed[c] == hangul(c) for c in HANGUL)
    marks = {c for c, text in changed(bert(strip_accents=True)).items() if text == ""}
    classes = combining_classes(decomposed)

    lower = changed(bert(lowercase=True))
    assert [c for c, text in lower.items() if len(text) != 1] == [0x130] and lower[0x130] == "i\u0307"

    split = BertPreTokenizer().pre_tokenize_str
    punctuation = {c for c in CODE_POINTS if len(split(f"a{chr(c)}b")) == 3}

    properties = [0] * 0x110000
    for flag, members in ((REMOVED, removed), (SPACE, spaces), (CJK, cjk), (PUNCTUATION, punctuation), (MARK, marks),
                          (DECOMPOSES, decomposed), (LOWER, lower)):
        for c in members:
            properties[c] |= flag
    for c, value in classes.items():
        properties[c] |= value
    categories = newest(PUNCTUATION_WITNESSES, punctuation)
    assert categories == newest(MARK_WITNESSES, marks)
    versions = (f"Unicode {categories} (categories), {newest(ORDER_WITNESSES, classes)} (decomposition), "
                f"{newest(LOWER_WITNESSES, lower)} (lower case)")
    return properties, decomposed, lower, versions


def trie(values):
    """Two levels: the block of each 128 code points, and the blocks that differ."""
    size = 1 << BLOCK_BITS
    blocks, index = {}, []
    for start in range(0, len(values), size):
        block = tuple(values[start : start + size])
        index.append(blocks.setdefault(block, len(blocks)))
    while len(index) > 1 and index[-1] == index[-2]:
        index.pop()  # the last block stands for all beyond it
    return index, [v for block in blocks for v in block]


def array(kind, name, values):
    lines, line = [], "   "
    for value in values:
        word = f" {value},"
        if len(line) + len(word) > 118:
            lines.append(line)
            line = "   "
        line += word
    lines.append(line)
    return f"extern const {kind} {name}[{len(values)}] = {{\n" + "\n".join(lines) + "\n};\n"


def render():
    properties, decomposed, lower, versions = observe()
    distinct = sorted(set(properties))
    assert len(distinct) <= 256
    place = {value: i for i, value in enumerate(distinct)}
    deltas = sorted({ord(text) - c for c, text in lower.items() if len(text) == 1} | {0})
    assert len(deltas) <= 256
    delta = {value: i for i, value in enumerate(deltas)}

    lower_of = [delta[0]] * 0x110000
    for c, text in lower.items():
        if len(text) == 1:
            lower_of[c] = delta[ord(text) - c]
    pool, decomposition_of = [0], [0] * 0x110000
    for c, text in decomposed.items():
        if c not in HANGUL:
            decomposition_of[c] = len(pool)
            pool += [len(text)] + [ord(x) for x in text]

    property_index, property_blocks = trie([place[p] for p in properties])
    lower_index, lower_blocks = trie(lower_of)
    decomposition_index, decomposition_blocks = trie(decomposition_of)
    stated = f"{versions}, as in tokenizers {tokenizers.__version__}"
    return "\n".join([
        "// Made by tools/make_unicode_tables.py; do not edit. To make it again, with the pinned `tokenizers`:",
        "//     .venv/bin/python tools/make_unicode_tables.py src/hasa/text/unicode_tables.cpp",
        "// Unicode versions as observed: the newest whose characters each part of the library knows.",
        f"//     {stated}",
        "// clang-format off",
        '#include "hasa/text/unicode.h"\n',
        "namespace hasa::unicode {\n",
        f'std::string_view versions() {{ return "{stated}"; }}\n',
        "namespace tables {\n",
        array("std::uint16_t", "kProperties", distinct),
        array("std::uint8_t", "kPropertyIndex", property_index),
        f"extern const std::size_t kPropertyIndexSize = {len(property_index)};",
        array("std::uint8_t", "kPropertyBlocks", property_blocks),
        array("std::int32_t", "kLowerDeltas", deltas),
        array("std::uint8_t", "kLowerIndex", lower_index),
        f"extern const std::size_t kLowerIndexSize = {len(lower_index)};",
        array("std::uint8_t", "kLowerBlocks", lower_blocks),
        "// Each entry is its length and then that many code points.",
        array("char32_t", "kDecompositions", pool),
        array("std::uint8_t", "kDecompositionIndex", decomposition_index),
        f"extern const std::size_t kDecompositionIndexSize = {len(decomposition_index)};",
        array("std::uint16_t", "kDecompositionBlocks", decomposition_blocks),
        "}  // namespace tables",
        "}  // namespace hasa::unicode\n",
    ])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--check", action="store_true", help="fail if the file is not what would be written")
    options = parser.parse_args()
    text = render()
    if options.check:
        if options.file.read_text() != text:
            sys.exit(f"{options.file} is not what tokenizers {tokenizers.__version__} gives: make it again")
        print(f"{options.file} agrees with tokenizers {tokenizers.__version__}")
    else:
        options.file.write_text(text)


if __name__ == "__main__":
    main()
