#include "hasa/text/unicode.h"

#include <string>

#include "hasa/base/testing.h"

namespace hasa::unicode {
namespace {

std::u32string decomposed(char32_t c) {
  char32_t storage[3];
  return std::u32string(decompose(c, storage));
}

// tests/tokenizer_parity_test.py compares every code point with `tokenizers`; these are the landmarks.

TEST(Unicode, DecomposesLettersFullyAndLeavesTheRestAlone) {
  EXPECT_EQ(decomposed(U'é'), U"e\u0301");
  EXPECT_EQ(decomposed(U'\u1EA5'), U"a\u0302\u0301");  // through â
  EXPECT_EQ(decomposed(U'\u212B'), U"A\u030A");        // the Ångström sign
  EXPECT_EQ(decomposed(U'e'), U"");
  EXPECT_EQ(decomposed(U'\uFB01'), U"");  // the ligature fi is compatible, not canonical
}

TEST(Unicode, ComputesHangulSyllables) {
  EXPECT_EQ(decomposed(U'가'), U"\u1100\u1161");
  EXPECT_EQ(decomposed(U'각'), U"\u1100\u1161\u11A8");
  EXPECT_EQ(decomposed(U'힣'), U"\u1112\u1175\u11C2");
  EXPECT_EQ(decomposed(0xD7A4), U"");
  EXPECT_EQ(decomposed(0xABFF), U"");
}

TEST(Unicode, LowersOneCodePointWithoutContext) {
  EXPECT_EQ(lower(U'A'), U'a');
  EXPECT_EQ(lower(U'Σ'), U'σ');
  EXPECT_EQ(lower(U'ẞ'), U'ß');
  EXPECT_EQ(lower(U'\U00010400'), U'\U00010428');
  EXPECT_EQ(lower(kDottedCapitalI), kDottedCapitalI);
  EXPECT_EQ(lower(U'1'), U'1');
}

TEST(Unicode, KnowsWhatTheCleanUpDoes) {
  for (const char32_t c : {U'\0', U'\x0B', U'\x7F', U'\u0085', U'\u00AD', U'\u200B', U'\uE000', U'\uFEFF', U'\uFFFD'}) {
    EXPECT_TRUE(properties(c) & kRemoved) << static_cast<unsigned>(c);
  }
  for (const char32_t c : {U'\t', U'\n', U'\r', U' ', U'\u00A0', U'\u2028', U'\u3000'}) {
    EXPECT_TRUE(properties(c) & kSpace) << static_cast<unsigned>(c);
    EXPECT_FALSE(properties(c) & kRemoved) << static_cast<unsigned>(c);
  }
}

TEST(Unicode, CallsAsciiSymbolsPunctuationButNotOtherSymbols) {
  for (const char32_t c : {U'$', U'^', U'`', U'|', U'!', U'。', U'«'}) EXPECT_TRUE(properties(c) & kPunctuation);
  for (const char32_t c : {U'€', U'±', U'☃', U'a', U'1'}) EXPECT_FALSE(properties(c) & kPunctuation);
}

TEST(Unicode, TellsMarksAndTheirCombiningClasses) {
  EXPECT_EQ(properties(U'\u0301'), kMark | 230);
  EXPECT_EQ(properties(U'\u0327'), kMark | 202);
  EXPECT_EQ(properties(U'\u302E'), 224);  // a mark that takes space
}

TEST(Unicode, TakesAnyNumberForACodePoint) {
  EXPECT_EQ(properties(0x110000) & kDecomposes, 0);
  EXPECT_EQ(lower(0xFFFFFFFF), 0xFFFFFFFF);
  EXPECT_EQ(decomposed(0x7FFFFFFF), U"");
}

TEST(Unicode, StatesItsVersions) { EXPECT_THAT(std::string(versions()), ::testing::HasSubstr("9.0 (decomposition)")); }

}  // namespace
}  // namespace hasa::unicode
