#include "hasa/base/shown_text.h"

#include "hasa/base/testing.h"

namespace hasa {
namespace {

TEST(ShownText, HidesNothingThatATerminalWouldObeyOrDrop) {
  EXPECT_EQ(shown("dog\thypernym"), "dog<TAB>hypernym");
  EXPECT_EQ(shown("a\nb\x01\xFFz\x7F"), "a<LF>b\\x01\\xFFz\\x7F");
  EXPECT_EQ(shown("\x1B[31mred"), "\\x1B[31mred");
  EXPECT_EQ(shown("\xC2\x9B"
                  "31m"),
            "\\xC2\\x9B31m");  // the same command to a terminal in one character
}

TEST(ShownText, LeavesOtherCharactersAsTheyAre) {
  EXPECT_EQ(shown("grüße 犬 \xEF\xBF\xBD"), "grüße 犬 \xEF\xBF\xBD");
  EXPECT_EQ(shown(""), "");
}

TEST(ShownText, CutsByColumnsAndCountsTheEllipsis) {
  EXPECT_EQ(shown(std::string(60, 'x'), 60), std::string(60, 'x'));
  EXPECT_EQ(shown(std::string(61, 'x'), 60), std::string(59, 'x') + "…");
  EXPECT_EQ(shown("grüße", 5), "grüße");
  EXPECT_EQ(shown("grüße!", 5), "grüß…");
  EXPECT_EQ(shown("ab", 1), "…");
  EXPECT_EQ(shown("ab", 0), "");
}

TEST(ShownText, NeverCutsInsideWhatStandsForACharacter) {
  EXPECT_EQ(shown("ab\tcd", 7), "ab…");
  EXPECT_EQ(shown("ab\tcd", 8), "ab<TAB>…");
  EXPECT_EQ(shown("ab\tcd", 9), "ab<TAB>cd");
}

TEST(ShownText, FillsAColumnToItsWidth) {
  EXPECT_EQ(shown_in_column("ü", 3), "ü  ");
  EXPECT_EQ(shown_in_column("übel", 3), "üb…");
  EXPECT_EQ(shown_in_column("\t\t", 6), "<TAB>…");
  EXPECT_EQ(shown_in_column("a\t", 4), "a…  ");
  EXPECT_EQ(shown_in_column("", 2), "  ");
  EXPECT_EQ(shown_in_column("犬", 4), "犬  ");
  EXPECT_EQ(shown_in_column("犬犬犬", 4), "犬… ");  // a second one would leave no column for the ellipsis
}

}  // namespace
}  // namespace hasa
