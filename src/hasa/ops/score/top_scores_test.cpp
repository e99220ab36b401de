#include "hasa/ops/score/top_scores.h"

#include <limits>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

void expect_as_reference(const torch::Tensor& scores, std::int64_t k) {
  const TopScores expected = top_scores_reference(scores, k);
  const TopScores found = top_scores(scores.clone(), k);
  EXPECT_TRUE(torch::equal(found.ids, expected.ids)) << found.ids << expected.ids;
  EXPECT_TRUE(torch::allclose(found.scores, expected.scores, 0, 0, /*equal_nan=*/true));
}

TEST(TopScores, MatchesASortAtAwkwardSizes) {
  torch::manual_seed(3);
  for (const std::int64_t n : {0, 1, 31, 33, 1025}) {
    for (const std::int64_t k : {0, 1, 10, 40}) expect_as_reference(torch::randn({3, n}), k);
  }
}

TEST(TopScores, TakesTheSmallerColumnOfEqualScores) {
  const TopScores top = top_scores(torch::tensor({{1.0F, 2.0F, 2.0F, 0.0F, -0.0F}}), 4);
  EXPECT_TRUE(torch::equal(top.ids, torch::tensor({{1, 2, 0, 3}})));
  torch::manual_seed(4);
  expect_as_reference(torch::randint(0, 4, {4, 200}).to(torch::kFloat32), 60);
}

TEST(TopScores, KeepsInfinitiesAndSkipsNaN) {
  const TopScores top = top_scores(torch::tensor({{kNaN, -kInfinity, 1.0F, kInfinity}}), 4);
  EXPECT_TRUE(torch::equal(top.ids, torch::tensor({{3, 2, 1, -1}})));
  EXPECT_EQ(top.scores[0][0].item<float>(), kInfinity);
  EXPECT_EQ(top.scores[0][2].item<float>(), -kInfinity);
}

TEST(TopScores, RejectsAnythingElseThanAMatrixOfScores) {
  EXPECT_ERROR(top_scores(torch::zeros({3}), 1), "a contiguous matrix of float32");
  EXPECT_ERROR(top_scores(torch::zeros({3, 3}), -1), "the best -1");
}

}  // namespace
}  // namespace hasa
