#include "hasa/eval/comparison.h"

#include <nlohmann/json.hpp>

#include "hasa/base/rng.h"
#include "hasa/base/testing.h"

namespace hasa {
namespace {

std::vector<RankRow> rows(const std::vector<double>& ranks, const std::string& relation = "r") {
  std::vector<RankRow> rows;
  rows.reserve(ranks.size());
  for (std::size_t i = 0; i < ranks.size(); ++i)
    rows.push_back({"h" + std::to_string(i / 2), relation, "t", i % 2 == 0, ranks[i], ranks[i], ranks[i]});
  return rows;
}

std::vector<double> random_ranks(std::size_t count, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<double> ranks;
  ranks.reserve(count);
  for (std::size_t i = 0; i < count; ++i) ranks.push_back(static_cast<double>(1 + rng.below(10)));
  return ranks;
}

TEST(SignFlip, CountsEveryAssignmentOfSigns) {
  // Of the 16 sums of +-1 +-1 +-1 +-1, two reach 4 or -4; of +-3 +-1, two of four reach |4|.
  EXPECT_NEAR(sign_flip_p_value(std::vector<double>{1, 1, 1, 1}, 100000, 1), 2.0 / 16, 0.005);
  EXPECT_NEAR(sign_flip_p_value(std::vector<double>{3, 1}, 100000, 1), 0.5, 0.01);
  EXPECT_EQ(sign_flip_p_value(std::vector<double>{0, 0}, 1000, 1), 1);
}

TEST(SignFlip, IsUniformWhenNothingDiffers) {
  int below = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const auto a = random_ranks(100, seed), b = random_ranks(100, seed + 1000);
    std::vector<double> differences;
    differences.reserve(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) differences.push_back(1 / b[i] - 1 / a[i]);
    below += sign_flip_p_value(differences, 500, seed) <= 0.1 ? 1 : 0;
  }
  // 20 expected; four standard deviations are 17.
  EXPECT_GT(below, 3);
  EXPECT_LT(below, 37);
}

TEST(Holm, CorrectsByRankAndNeverTurnsTheOrder) {
  const auto adjusted = holm_adjusted(std::vector<double>{0.04, 0.01, 0.03, 0.9});
  EXPECT_THAT(adjusted, ::testing::ElementsAre(::testing::DoubleEq(0.09), ::testing::DoubleEq(0.04),
                                               ::testing::DoubleEq(0.09), ::testing::DoubleEq(0.9)));
}

TEST(CompareRanks, FindsAClearDifferenceAndItsSize) {
  const std::vector<double> ones(200, 1), twos(200, 2);
  const Comparison c = compare_ranks(rows(twos), rows(ones));
  EXPECT_EQ(c.queries, 200);
  EXPECT_EQ(c.triples, 100);
  EXPECT_EQ(c.b_better, 200);
  EXPECT_DOUBLE_EQ(c.mrr.b_minus_a, 0.5);
  EXPECT_DOUBLE_EQ(c.mrr.interval.low, 0.5);
  EXPECT_LT(c.mrr.p_value, 0.001);
  EXPECT_DOUBLE_EQ(c.hits_at_1.b_minus_a, 1);
  EXPECT_DOUBLE_EQ(c.hits_at_10.b_minus_a, 0);
  EXPECT_DOUBLE_EQ(c.hits_at_10.p_value, 1);
}

TEST(CompareRanks, TakesThePairsWhateverTheirOrder) {
  auto a = rows(random_ranks(60, 1)), b = rows(random_ranks(60, 2));
  const Comparison straight = compare_ranks(a, b);
  std::reverse(b.begin(), b.end());
  const Comparison turned = compare_ranks(a, b);
  EXPECT_EQ(straight.mrr.p_value, turned.mrr.p_value);
  EXPECT_EQ(straight.a_better, turned.a_better);
}

TEST(CompareRanks, RefusesOtherQueriesByName) {
  auto a = rows({1, 1, 1, 1}), b = a;
  b[3].tail = "u";
  EXPECT_ERROR(compare_ranks(a, b), "(h1, r, t) predicting its head is only in the first");
  b = a;
  b.pop_back();
  EXPECT_ERROR(compare_ranks(a, b), "4 and 3 queries");
}

TEST(CompareRanks, TellsRelationsApart) {
  auto a = rows({1, 1, 1, 1}), b = rows({1, 1, 1, 1});
  const auto more_a = rows({2, 2}, "s"), more_b = rows({1, 1}, "s");
  a.insert(a.end(), more_a.begin(), more_a.end());
  b.insert(b.end(), more_b.begin(), more_b.end());
  const Comparison c = compare_ranks(a, b);
  ASSERT_EQ(c.relations.size(), 2U);
  EXPECT_EQ(c.relations[0].relation, "r");
  EXPECT_EQ(c.relations[0].mrr.b_minus_a, 0);
  EXPECT_EQ(c.relations[1].mrr.b_minus_a, 0.5);
  EXPECT_EQ(c.relations[1].queries, 2);
  const auto json = nlohmann::json::parse(to_json(c, "one", "two"));
  EXPECT_EQ(json["relations"][1]["relation"], "s");
  EXPECT_THAT(to_table(c, "one", "two"), ::testing::HasSubstr("A  one"));
}

}  // namespace
}  // namespace hasa
