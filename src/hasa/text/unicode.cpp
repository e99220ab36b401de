#include "hasa/text/unicode.h"

namespace hasa::unicode {

namespace {

constexpr char32_t kHangulFirst = 0xAC00, kLeadFirst = 0x1100, kVowelFirst = 0x1161, kTailBefore = 0x11A7;
constexpr char32_t kLeads = 19, kVowels = 21, kTails = 28;

}  // namespace

std::u32string_view decompose(char32_t code_point, char32_t (&storage)[3]) {
  const char32_t syllable = code_point - kHangulFirst;
  if (syllable < kLeads * kVowels * kTails) {
    storage[0] = kLeadFirst + syllable / (kVowels * kTails);
    storage[1] = kVowelFirst + syllable / kTails % kVowels;
    storage[2] = kTailBefore + syllable % kTails;
    return {storage, storage[2] == kTailBefore ? 2u : 3u};
  }
  const std::size_t entry = tables::look_up(tables::kDecompositionIndex, tables::kDecompositionIndexSize,
                                            tables::kDecompositionBlocks, code_point);
  return {tables::kDecompositions + entry + 1, tables::kDecompositions[entry]};
}

}  // namespace hasa::unicode
