#include "hasa/kg/read/held_texts.h"

#include "hasa/base/testing.h"

namespace hasa {
namespace {

TEST(HeldTexts, KeepTheBestRankAndOfEqualsTheFirst) {
  HeldTexts held;
  held.offer(3, TextKind::name, 5, "late");
  held.offer(3, TextKind::name, 2, "better");
  held.offer(3, TextKind::name, 2, "as good");
  EXPECT_EQ(held.of(3, TextKind::name), "better");
  EXPECT_EQ(held.of(3, TextKind::description), "");
  EXPECT_EQ(held.of(99, TextKind::name), "");
  EXPECT_TRUE(held.replace(3, TextKind::name, "new"));
  EXPECT_FALSE(held.replace(3, TextKind::name, "new"));
  EXPECT_FALSE(held.replace(4, TextKind::name, "first"));
}

TEST(HeldTexts, MoveWithTheNumbersOfTheirEntities) {
  HeldTexts held;
  for (const auto& [number, text] : {std::pair{0, "a"}, std::pair{2, "c"}, std::pair{4, "e"}})
    held.offer(number, TextKind::name, 0, text);
  held.renumber({0, -1, 1, 2, -1});
  EXPECT_EQ(held.of(0, TextKind::name), "a");
  EXPECT_EQ(held.of(1, TextKind::name), "c");
  EXPECT_EQ(held.of(2, TextKind::name), "");
  EXPECT_EQ(held.table(TextKind::name, 3).size(), 3U);
}

}  // namespace
}  // namespace hasa
