#include "hasa/families/popularity/popularity_scorer.h"

#include <gtest/gtest.h>

#include <array>

namespace hasa {
namespace {

/// 0 -r-> 2, 1 -r-> 2, 1 -r-> 0, 2 -s-> 1, over 3 entities and 2 relations.
const std::array<Triple, 4> kTriples{Triple{0, 0, 2}, {1, 0, 2}, {1, 0, 0}, {2, 1, 1}};

TEST(Popularity, CountsHowOftenAnEntityAnsweredEachDirectedRelation) {
  const torch::Tensor counts = answer_counts(kTriples, 3, 2);
  const torch::Tensor expected = torch::tensor({1, 0, 2, 0, 1, 0, 1, 2, 0, 0, 0, 1}).view({4, 3}).to(torch::kFloat32);
  EXPECT_TRUE(torch::equal(counts, expected)) << counts;
}

TEST(Popularity, AnswersByTheRelationWhateverIsGiven) {
  const PopularityScorer scorer(answer_counts(kTriples, 3, 2));
  const std::array<Query, 3> queries{Query{0, 0}, {1, 0}, {0, 3}};
  const torch::Tensor scores = scorer.scores(queries);
  EXPECT_TRUE(torch::equal(scores[0], scores[1]));
  EXPECT_EQ(scores[0].argmax().item<std::int64_t>(), 2);
  EXPECT_EQ(scores[2].argmax().item<std::int64_t>(), 2);  // 2 is the head of the one triple of s
  const torch::Tensor candidates = torch::tensor({2, 0, 1, 1, 0, 2}).view({3, 2});
  EXPECT_TRUE(torch::equal(scorer.scores_of(queries, candidates), scores.gather(1, candidates)));
}

TEST(Popularity, OfOneRowIsTheSameForEveryRelation) {
  const PopularityScorer scorer(answer_counts(kTriples, 3, 2).sum(0, true));
  const std::array<Query, 2> queries{Query{0, 0}, {0, 3}};
  const torch::Tensor scores = scorer.scores(queries);
  EXPECT_TRUE(torch::equal(scores[0], scores[1]));
  EXPECT_EQ(scores[0][0].item<float>(), 2);  // once as a tail, once as the head of an inverse
}

}  // namespace
}  // namespace hasa
