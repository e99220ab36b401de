#include "hasa/ops/score/pair_scores.h"

#include <ATen/Parallel.h>

#include "hasa/base/testing.h"
#include "hasa/ops/core/device.h"

namespace hasa {
namespace {

constexpr Similarity kDistances[] = {Similarity::negative_l1, Similarity::negative_l2, Similarity::negative_modulus};

torch::Tensor reference_of_pairs(const torch::Tensor& queries, const torch::Tensor& entities, Similarity similarity) {
  return similarity_reference(queries.unsqueeze(1), entities.unsqueeze(0), similarity);
}

/// Scores and both gradients against the reference's.
void expect_like_the_reference(std::int64_t q, std::int64_t n, std::int64_t d, Similarity similarity,
                               torch::Device device) {
  const auto leaf = [&](std::int64_t rows) { return torch::randn({rows, d}).to(device).requires_grad_(); };
  const torch::Tensor queries = leaf(q), entities = leaf(n);
  const torch::Tensor weights = torch::randn({q, n}, device);
  const torch::Tensor scores = pair_scores(queries, entities, similarity);
  const torch::Tensor expected = reference_of_pairs(queries, entities, similarity);
  // Sums of some hundred float32 terms of size 1.
  EXPECT_TRUE(torch::allclose(scores.to(torch::kFloat64), expected, 1e-5, 1e-4)) << q << "x" << n << "x" << d;
  (scores * weights).sum().backward();
  const torch::Tensor of_queries = queries.grad().clone(), of_entities = entities.grad().clone();
  queries.mutable_grad() = entities.mutable_grad() = torch::Tensor();
  (expected * weights).sum().backward();
  EXPECT_TRUE(torch::allclose(of_queries, queries.grad(), 1e-4, 2e-4)) << q << "x" << n << "x" << d;
  EXPECT_TRUE(torch::allclose(of_entities, entities.grad(), 1e-4, 2e-4)) << q << "x" << n << "x" << d;
}

TEST(PairScores, AndTheirGradientsMatchTheReferenceAtAwkwardSizes) {
  torch::manual_seed(1);
  for (const Similarity similarity : {Similarity::dot, kDistances[0], kDistances[1], kDistances[2]}) {
    for (const std::int64_t n : {1, 31, 33, 130}) {
      for (const std::int64_t d : {2, 62, 66, 300}) expect_like_the_reference(7, n, d, similarity, torch::kCPU);
    }
    expect_like_the_reference(1, 1, 34, similarity, torch::kCPU);
  }
}

TEST(PairScores, TakeNoQueriesAndNoEntities) {
  for (const Similarity similarity : kDistances) {
    EXPECT_EQ(pair_scores(torch::zeros({0, 4}), torch::zeros({3, 4}), similarity).sizes(), (torch::IntArrayRef{0, 3}));
    EXPECT_EQ(pair_scores(torch::zeros({2, 4}), torch::zeros({0, 4}), similarity).sizes(), (torch::IntArrayRef{2, 0}));
  }
}

TEST(PairScores, OfEqualRowsAreEqualToTheLastBitWhereverTheyStand) {
  torch::manual_seed(2);
  const torch::Tensor row = torch::randn({1, 250}), queries = torch::randn({3, 250});
  for (const Similarity similarity : kDistances) {
    const torch::Tensor scores = pair_scores(queries, row.expand({101, 250}), similarity);
    EXPECT_TRUE(torch::equal(scores, scores.slice(1, 0, 1).expand_as(scores)));
  }
}

TEST(PairScores, HaveNoSlopeWhereTwoVectorsAgree) {
  for (const Similarity similarity : kDistances) {
    const torch::Tensor x = torch::ones({1, 6}).requires_grad_(), y = torch::ones({1, 6}).requires_grad_();
    const torch::Tensor score = pair_scores(x, y, similarity);
    EXPECT_EQ(score.item<float>(), 0);
    score.sum().backward();
    EXPECT_TRUE(torch::equal(x.grad(), torch::zeros({1, 6})));
    EXPECT_TRUE(torch::equal(y.grad(), torch::zeros({1, 6})));
  }
}

TEST(PairScores, AreTheSameForAnyNumberOfThreads) {
  torch::manual_seed(3);
  const torch::Tensor queries = torch::randn({20, 50}), entities = torch::randn({200, 50});
  const int before = at::get_num_threads();
  for (const Similarity similarity : kDistances) {
    at::set_num_threads(1);
    const torch::Tensor one = pair_scores(queries, entities, similarity);
    at::set_num_threads(2);
    EXPECT_TRUE(torch::equal(one, pair_scores(queries, entities, similarity)));
  }
  at::set_num_threads(before);
}

TEST(PairScores, RefuseAnOddNumberOfColumnsForComplexNumbers) {
  EXPECT_ERROR(pair_scores(torch::zeros({1, 3}), torch::zeros({1, 3}), Similarity::negative_modulus), "even number");
}

TEST(PairScoresGpu, AndTheirGradientsMatchTheReferenceAtAwkwardSizes) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  torch::manual_seed(4);
  for (const Similarity similarity : kDistances) {
    for (const std::int64_t q : {1, 33, 129}) {
      for (const std::int64_t d : {2, 66, 500}) expect_like_the_reference(q, 1025, d, similarity, torch::kCUDA);
    }
  }
}

}  // namespace
}  // namespace hasa
