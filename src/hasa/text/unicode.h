#pragma once

#include <cstdint>
#include <string_view>

namespace hasa::unicode {

/// What Hugging Face's BERT normaliser and pre-tokenizer hold each code point to be. The tables
/// (unicode_tables.cpp) are made by tools/make_unicode_tables.py from the behaviour of `tokenizers` itself,
/// whose parts use different Unicode versions.
enum Flag : std::uint16_t {
  kRemoved = 1 << 8,       ///< dropped by the clean-up: control, format, unassigned, private use, U+0000, U+FFFD
  kSpace = 1 << 9,         ///< becomes a space
  kCjk = 1 << 10,          ///< a word of its own
  kPunctuation = 1 << 11,  ///< a word of its own, decided after lower-casing
  kMark = 1 << 12,         ///< a non-spacing mark, dropped when accents are
  kDecomposes = 1 << 13,   ///< decompose() gives something else than the code point
  kHasLower = 1 << 14,     ///< lower() gives something else than the code point
};
constexpr std::uint16_t kCombiningClass = 0xFF;  ///< the canonical combining class, in the low bits

/// Flags and combining class in one word; 0, an ordinary letter, for anything above U+10FFFF.
std::uint16_t properties(char32_t code_point);

/// The full canonical decomposition, in canonical order; empty when the code point stands for itself.
/// Hangul syllables are computed: `storage` holds them.
std::u32string_view decompose(char32_t code_point, char32_t (&storage)[3]);

/// Lower case of one code point, without context. U+0130 alone becomes two code points: see kDottedCapitalI.
char32_t lower(char32_t code_point);
constexpr char32_t kDottedCapitalI = 0x130;

/// The Unicode versions behind the tables, as `hasa version` prints them.
std::string_view versions();

}  // namespace hasa::unicode
