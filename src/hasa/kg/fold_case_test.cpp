#include "hasa/kg/fold_case.h"

#include <gtest/gtest.h>

namespace hasa {
namespace {

TEST(FoldCase, LowersLettersOfSeveralAlphabets) {
  EXPECT_EQ(fold_case("Dog"), "dog");
  EXPECT_EQ(fold_case("ÉCOLE × ÞÓR"), "école × þór");
  EXPECT_EQ(fold_case("ŁÓDŹ ŠKODA Ÿ ĽĹ"), "łódź škoda ÿ ľĺ");
  EXPECT_EQ(fold_case("ΑΘΉΝΑ ΏΡΑ"), "αθήνα ώρα");
  EXPECT_EQ(fold_case("МОСКВА ЁЖ ҐРУНТ"), "москва ёж ґрунт");
  EXPECT_EQ(fold_case("ԵՐԵՒԱՆ"), "երեւան");
  EXPECT_EQ(fold_case("VIỆT"), "việt");
}

TEST(FoldCase, LeavesTheRestAlone) {
  for (const char* text : {"", "3 + 4 = 7", "東京", "straße", "ı", "×÷", "αω", "ʼn"}) EXPECT_EQ(fold_case(text), text);
}

}  // namespace
}  // namespace hasa
