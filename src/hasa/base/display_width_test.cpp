#include "hasa/base/display_width.h"

#include "hasa/base/testing.h"

namespace hasa {
namespace {

// Expectations are of Unicode's EastAsianWidth.txt and of what terminals draw.

TEST(DisplayWidth, CountsWideCharactersTwiceAndMarksNotAtAll) {
  EXPECT_EQ(display_width("dog"), 3U);
  EXPECT_EQ(display_width("grüße"), 5U);
  EXPECT_EQ(display_width("犬"), 2U);
  EXPECT_EQ(display_width("ニホンオオカミ"), 14U);
  EXPECT_EQ(display_width("한국"), 4U);
  EXPECT_EQ(display_width("ｆｕｌｌ"), 8U);
  EXPECT_EQ(display_width("ﾊﾝｶｸ"), 4U);  // halfwidth katakana
  EXPECT_EQ(display_width("🐕"), 2U);
  EXPECT_EQ(display_width("e\u0301"), 1U);  // e with a combining acute accent
  EXPECT_EQ(display_width("zero\u200Bwidth"), 9U);
  EXPECT_EQ(display_width("…—“"), 3U);
  EXPECT_EQ(display_width(""), 0U);
}

TEST(DisplayWidth, KnowsTheEndsOfItsBlocks) {
  EXPECT_EQ(display_width(U'\u10FF'), 1U);
  EXPECT_EQ(display_width(U'\u1100'), 2U);
  EXPECT_EQ(display_width(U'\u115F'), 2U);
  EXPECT_EQ(display_width(U'\u1160'), 1U);
  EXPECT_EQ(display_width(U'\u02FF'), 1U);
  EXPECT_EQ(display_width(U'\u0300'), 0U);
  EXPECT_EQ(display_width(U'\U0003FFFD'), 2U);
  EXPECT_EQ(display_width(U'\U0010FFFF'), 1U);
}

TEST(DisplayWidth, TakesBytesThatAreNotUtf8ForOneCharacterEach) { EXPECT_EQ(display_width("a\xFF\xFE"), 3U); }

TEST(Fitting, CutsBetweenCharactersAndKeepsTheirMarks) {
  EXPECT_EQ(fitting("dog", 3), "dog");
  EXPECT_EQ(fitting("dog", 2), "do");
  EXPECT_EQ(fitting("犬犬", 3), "犬");
  EXPECT_EQ(fitting("e\u0301e", 1), "e\u0301");
  EXPECT_EQ(fitting("dog", 0), "");
}

}  // namespace
}  // namespace hasa
