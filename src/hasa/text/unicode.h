#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hasa::unicode {

/// What Hugging Face's BERT normaliser and pre-tokenizer hold each code point to be. The tables
/// (unicode_tables.cpp) are made by tools/make_unicode_tables.py from the behaviour of `tokenizers` itself,
/// whose parts use different Unicode versions.
constexpr std::uint16_t kRemoved = 1 << 8;       ///< dropped by the clean-up: control, format, private use, U+FFFD
constexpr std::uint16_t kSpace = 1 << 9;         ///< becomes a space
constexpr std::uint16_t kCjk = 1 << 10;          ///< a word of its own
constexpr std::uint16_t kPunctuation = 1 << 11;  ///< a word of its own
constexpr std::uint16_t kMark = 1 << 12;         ///< a non-spacing mark, dropped when accents are
constexpr std::uint16_t kDecomposes = 1 << 13;   ///< decompose() gives something else than the code point
constexpr std::uint16_t kHasLower = 1 << 14;     ///< lower() gives something else than the code point
constexpr std::uint16_t kCombiningClass = 0xFF;  ///< the canonical combining class, in the low bits

/// U+0130 alone becomes two code points in lower case: i and U+0307. lower() gives it back as it is.
constexpr char32_t kDottedCapitalI = 0x130;

/// Each trie has a block number for every 128 code points; the last one holds for all that follow.
namespace tables {
constexpr unsigned kBlockBits = 7;
extern const std::uint16_t kProperties[];
extern const std::uint8_t kPropertyIndex[];
extern const std::size_t kPropertyIndexSize;
extern const std::uint8_t kPropertyBlocks[];
extern const std::int32_t kLowerDeltas[];
extern const std::uint8_t kLowerIndex[];
extern const std::size_t kLowerIndexSize;
extern const std::uint8_t kLowerBlocks[];
extern const char32_t kDecompositions[];
extern const std::uint8_t kDecompositionIndex[];
extern const std::size_t kDecompositionIndexSize;
extern const std::uint16_t kDecompositionBlocks[];

template <class Value>
Value look_up(const std::uint8_t* index, std::size_t index_size, const Value* blocks, char32_t code_point) {
  const std::size_t place = code_point >> kBlockBits;
  const std::size_t block = index[place < index_size ? place : index_size - 1];
  return blocks[(block << kBlockBits) + (code_point & ((1u << kBlockBits) - 1))];
}
}  // namespace tables

/// Flags and combining class in one word; 0 is an ordinary letter.
inline std::uint16_t properties(char32_t code_point) {
  return tables::kProperties[tables::look_up(tables::kPropertyIndex, tables::kPropertyIndexSize,
                                             tables::kPropertyBlocks, code_point)];
}

/// Lower case of one code point, without context.
inline char32_t lower(char32_t code_point) {
  const std::uint8_t delta =
      tables::look_up(tables::kLowerIndex, tables::kLowerIndexSize, tables::kLowerBlocks, code_point);
  return code_point + static_cast<char32_t>(tables::kLowerDeltas[delta]);
}

/// The full canonical decomposition, in canonical order; empty when the code point stands for itself.
/// Hangul syllables are computed into `storage`.
std::u32string_view decompose(char32_t code_point, char32_t (&storage)[3]);

/// The Unicode versions behind the tables, as `hasa version` prints them.
std::string_view versions();

}  // namespace hasa::unicode
