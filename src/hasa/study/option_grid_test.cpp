#include "hasa/study/option_grid.h"

#include <set>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

using Assignments = std::vector<std::string>;

TEST(OptionGrid, CountsThroughAllCombinations) {
  const OptionGrid grid({"loss.beta=0.1|1", "train.epochs=2|4|8"});
  ASSERT_EQ(grid.size(), 6U);
  EXPECT_EQ(grid.at(0), (Assignments{"loss.beta=0.1", "train.epochs=2"}));
  EXPECT_EQ(grid.at(1), (Assignments{"loss.beta=0.1", "train.epochs=4"}));
  EXPECT_EQ(grid.at(5), (Assignments{"loss.beta=1", "train.epochs=8"}));
  EXPECT_EQ(OptionGrid().at(0), Assignments{});
}

TEST(OptionGrid, DrawsDifferentCombinationsThatDependOnTheSeedAlone) {
  const OptionGrid grid = OptionGrid({"a=1|2|3"}).with({"b=1|2|3|4"});
  const auto drawn = grid.draws(5, 1);
  EXPECT_EQ(std::set<Assignments>(drawn.begin(), drawn.end()).size(), 5U);
  EXPECT_EQ(drawn, grid.draws(5, 1));
  EXPECT_NE(drawn, grid.draws(5, 2));
  EXPECT_EQ(grid.draws(100, 1).size(), 12U);
}

TEST(OptionGrid, RefusesWhatGivesNoValues) {
  EXPECT_ERROR(OptionGrid({"loss.beta"}), "\"loss.beta\" gives no values to try");
  EXPECT_ERROR(OptionGrid({"loss.beta=1||2"}), "empty value");
  EXPECT_ERROR(OptionGrid({"a=1", "a=2"}), "a is there twice");
}

}  // namespace
}  // namespace hasa
