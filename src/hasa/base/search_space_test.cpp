#include "hasa/base/search_space.h"

#include <set>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

constexpr const char* kMarked = R"(graph: g
model: {type: complex, dim: {choices: [128, 256]}}
optimiser:
  lr: {log_range: [1e-3, 1e-1]}
tables:
  entity_dropout: {range: [0.1, 0.5]}
  negatives: {range: [10, 12]}
)";

TEST(SearchSpace, TakesMarksOutAndKeepsTheRest) {
  const SearchSpace space = SearchSpace::parse(kMarked, "search.yaml");
  EXPECT_EQ(space.keys(),
            (std::vector<std::string>{"model.dim", "optimiser.lr", "tables.entity_dropout", "tables.negatives"}));
  EXPECT_NE(space.fixed().find("type: complex"), std::string::npos);
  EXPECT_EQ(space.fixed().find("range"), std::string::npos);
  EXPECT_EQ(space.fixed().find("choices"), std::string::npos);
}

TEST(SearchSpace, DrawsWithinItsRangesAndTheSameForTheSameGenerator) {
  const SearchSpace space = SearchSpace::parse(kMarked, "search.yaml");
  std::set<std::string> dims, negatives;
  int small_rates = 0;
  for (std::uint64_t trial = 0; trial < 400; ++trial) {
    Rng rng(1, "trial", trial), again(1, "trial", trial);
    const auto drawn = space.draw(rng);
    EXPECT_EQ(drawn, space.draw(again));
    ASSERT_EQ(drawn.size(), 4U);
    dims.insert(drawn[0]);
    const double lr = std::stod(drawn[1].substr(13)), dropout = std::stod(drawn[2].substr(22));
    EXPECT_GE(lr, 1e-3);
    EXPECT_LE(lr, 1e-1);
    EXPECT_GE(dropout, 0.1);
    EXPECT_LE(dropout, 0.5);
    if (lr < 1e-2) ++small_rates;
    negatives.insert(drawn[3]);
  }
  EXPECT_EQ(dims, (std::set<std::string>{"model.dim=128", "model.dim=256"}));
  EXPECT_EQ(negatives, (std::set<std::string>{"tables.negatives=10", "tables.negatives=11", "tables.negatives=12"}));
  EXPECT_NEAR(small_rates, 200, 50);  // half of the logarithm's range
}

TEST(SearchSpace, RefusesMarksThatAreNone) {
  EXPECT_ERROR(SearchSpace::parse("a: {range: [2, 1]}", "x.yaml"), "x.yaml: range of a takes two numbers, the smaller");
  EXPECT_ERROR(SearchSpace::parse("a: {b: {log_range: [0, 1]}}", "x.yaml"), "log_range of a.b begins at 0");
  EXPECT_ERROR(SearchSpace::parse("a: {choices: 3}", "x.yaml"), "a is marked with choices, which needs a list");
}

}  // namespace
}  // namespace hasa
