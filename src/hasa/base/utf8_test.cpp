#include "hasa/base/utf8.h"

#include <vector>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

using ::testing::ElementsAre;

constexpr char32_t kBad = kReplacementCharacter;

std::vector<char32_t> decode(std::string_view text) {
  std::vector<char32_t> result;
  for (std::size_t at = 0; at < text.size();) result.push_back(next_code_point(text, at));
  return result;
}

// Tables 3-8 to 3-11 of the Unicode standard, "Substitution of Maximal Subparts".
TEST(NextCodePoint, ReplacesNonShortestFormsAsTheStandardShows) {
  EXPECT_THAT(decode("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"),
              ElementsAre(kBad, kBad, kBad, kBad, kBad, kBad, kBad, kBad, U'A'));
}

TEST(NextCodePoint, ReplacesSurrogatesAsTheStandardShows) {
  EXPECT_THAT(decode("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"),
              ElementsAre(kBad, kBad, kBad, kBad, kBad, kBad, kBad, kBad, U'A'));
}

TEST(NextCodePoint, ReplacesOtherIllFormedSequencesAsTheStandardShows) {
  EXPECT_THAT(decode("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42"),
              ElementsAre(kBad, kBad, kBad, kBad, kBad, U'A', kBad, kBad, U'B'));
}

TEST(NextCodePoint, ReplacesATruncatedSequenceOnceAsTheStandardShows) {
  EXPECT_THAT(decode("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), ElementsAre(kBad, kBad, kBad, kBad, U'A'));
}

TEST(NextCodePoint, ReplacesASequenceCutOffByTheEndOnce) {
  EXPECT_THAT(decode("a\xF0\x9F\x98"), ElementsAre(U'a', kBad));
}

TEST(NextCodePoint, ReadsTheFirstAndLastCharacterOfEveryLength) {
  EXPECT_THAT(
      decode(std::string_view("\0\x7F\xC2\x80\xDF\xBF\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF\xF0\x90\x80\x80"
                              "\xF4\x8F\xBF\xBF",
                              26)),
      ElementsAre(U'\0', 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF));
}

TEST(AppendUtf8, WritesWhatReadsBackForEveryCharacter) {
  std::string text;
  std::vector<char32_t> all;
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    all.push_back(c);
    append_utf8(text, c);
  }
  // 128 of one byte, 1,920 of two, 61,440 of three without the surrogates, 2^20 of four.
  EXPECT_EQ(text.size(), 128U + 1920 * 2 + 61440 * 3 + 1048576 * 4);
  EXPECT_EQ(find_invalid_utf8(text), std::string_view::npos);
  EXPECT_TRUE(decode(text) == all);
}

TEST(FindInvalidUtf8, NamesTheFirstByteOfAnIllFormedSequenceWhereverItStands) {
  for (const char* bad : {"\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80",
                          "\xF5\x80\x80\x80", "\xFF", "\xC3(", "\xE2\x82"}) {
    for (std::size_t before = 0; before < 20; ++before) {
      EXPECT_EQ(find_invalid_utf8(std::string(before, 'a') + bad), before) << before;
      EXPECT_EQ(find_invalid_utf8(std::string(before, 'a') + bad + std::string(20, 'b')), before) << before;
    }
  }
}

TEST(FindInvalidUtf8, FindsNothingInAnEmptyText) { EXPECT_EQ(find_invalid_utf8(""), std::string_view::npos); }

}  // namespace
}  // namespace hasa
