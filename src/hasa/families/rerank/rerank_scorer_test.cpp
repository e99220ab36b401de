#include "hasa/families/rerank/rerank_scorer.h"

#include <array>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

/// The same scores for every query.
class GivenScores : public Scorer {
 public:
  GivenScores(std::vector<float> scores, ScoringCost cost = {}) : scores_(torch::tensor(scores)), cost_(cost) {}
  std::int64_t num_entities() const override { return scores_.size(0); }
  torch::Device device() const override { return torch::kCPU; }
  ScoringCost cost() const override { return cost_; }
  torch::Tensor scores(std::span<const Query> queries) const override {
    return scores_.expand({std::ssize(queries), -1}).clone();
  }
  torch::Tensor scores_of(std::span<const Query> queries, const torch::Tensor& candidates) const override {
    return scores(queries).gather(1, candidates);
  }

 private:
  torch::Tensor scores_;
  ScoringCost cost_;
};

constexpr std::array<Query, 2> kQueries{Query{0, 0}, Query{1, 0}};

RerankScorer reranked(std::vector<float> first, std::vector<float> second, std::int64_t top, ScoringCost cost = {}) {
  return {std::make_unique<GivenScores>(std::move(first)), std::make_unique<GivenScores>(std::move(second), cost), top};
}

TEST(Rerank, OrdersTheShortlistByTheSecondAndLeavesTheOthersBehindItAsTheyWere) {
  const RerankScorer scorer = reranked({5, 1, 4, 3, 2}, {-8, 9, -6, -7, 9}, 3);
  // The three best of the first are entities 0, 2 and 3, whose lowest by the second is -8: 5 + 1 + {0, 2, 1}.
  const torch::Tensor expected = torch::tensor({6.F, 1.F, 8.F, 7.F, 2.F});
  EXPECT_TRUE(scorer.scores(kQueries)[0].equal(expected));
  EXPECT_TRUE(scorer.scores(kQueries)[1].equal(expected));
  const torch::Tensor some = torch::tensor({{2, 4}, {1, 0}}, torch::kInt64);
  EXPECT_TRUE(scorer.scores_of(kQueries, some).equal(torch::tensor({{8.F, 2.F}, {1.F, 6.F}})));
}

TEST(Rerank, TakesEqualEntitiesIntoTheShortlistByTheirNumbers) {
  const torch::Tensor scores = reranked({1, 1, 1, 1}, {0, 1, 2, 3}, 2).scores(kQueries)[0];
  EXPECT_TRUE(scores.equal(torch::tensor({2.F, 3.F, 1.F, 1.F})));
}

TEST(Rerank, KeepsATieOfTheSecondATie) {
  const torch::Tensor scores = reranked({3, 2, 1}, {7, 7, 7}, 2).scores(kQueries)[0];
  EXPECT_EQ(scores[0].item<float>(), scores[1].item<float>());
  EXPECT_GT(scores[1].item<float>(), scores[2].item<float>());
}

TEST(Rerank, AShortlistOfAllEntitiesHasTheSecondsOwnOrder) {
  const torch::Tensor scores = reranked({3, 2, 1}, {1, 2, 3}, 100).scores(kQueries)[0];
  EXPECT_TRUE(scores.argsort(0, /*descending=*/true).equal(torch::tensor({2, 1, 0}, torch::kInt64)));
}

TEST(Rerank, CostsOfTheSecondWhatTheShortlistIs) {
  const RerankScorer scorer =
      reranked({1, 2, 3, 4}, {1, 2, 3, 4}, 2, {.seconds_per_query = 8, .tokens_per_query = 100});
  EXPECT_DOUBLE_EQ(scorer.cost().seconds_per_query, 4);
  EXPECT_DOUBLE_EQ(scorer.cost().tokens_per_query, 50);
}

TEST(Rerank, RefusesRunsOfGraphsThatDiffer) { EXPECT_ERROR(reranked({1, 2}, {1, 2, 3}, 2), "scores 2 entities"); }

}  // namespace
}  // namespace hasa
