#include "hasa/families/simkgc/simkgc_loss.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hasa {
namespace {

torch::Tensor rows_of_two(std::initializer_list<double> values) {
  return torch::tensor(std::vector<double>(values)).view({-1, 2});
}

/// Two queries along the axes. Tail 0 is query 0 turned by acos(.8), tail 1 by acos(.6) further, and so on.
SimkgcBatch two_queries() {
  return {.queries = rows_of_two({1, 0, 0, 1}),
          .tails = rows_of_two({.8, .6, .6, .8}),
          .heads = rows_of_two({0, 1, 1, 0}),
          .earlier = rows_of_two({-.6, .8}),
          .negative = torch::tensor({false, true, true, true, true, false, true, true}).view({2, 4}),
          .scale = torch::tensor(2.0)};
}

TEST(SimkgcLoss, ScoresTailsThenEarlierTailsAtTheirWeightThenTheOwnHead) {
  const torch::Tensor scores = simkgc_scores(two_queries(), {.pre_batch_weight = 0.5});
  // Cosines .8 .6 | -.6 | 0 of query 0, .6 .8 | .8 | 0 of query 1; times 2, and the earlier one halved.
  const torch::Tensor expected = rows_of_two({1.6, 1.2, -.6, 0, 1.2, 1.6, .8, 0}).view({2, 4});
  EXPECT_TRUE(torch::allclose(scores, expected)) << scores;
}

TEST(SimkgcLoss, IsTheCrossEntropyOfBothDirectionsWorkedOutByHand) {
  // The positive is 2 (.8 - .1) = 1.4. Query 0: -log(e^1.4 / (e^1.4 + e^1.2 + e^-.6 + e^0))
  //   = log(1 + e^-.2 + e^-2 + e^-1.4) = log(2.200663) = .788759
  // query 1: log(1 + e^-.2 + e^-.6 + e^-1.4) = log(2.614139) = .960935, the mean .874847.
  // Either tail among two queries, without heads and earlier tails: log(1 + e^-.2) = .598139.
  const double loss = simkgc_loss(two_queries(), {.margin = 0.1}).item<double>();
  EXPECT_NEAR(loss, 0.874847 + 0.598139, 1e-5);
  EXPECT_NEAR(simkgc_loss(two_queries(), {.margin = 0.1, .tail_to_query = false}).item<double>(), 0.874847, 1e-5);
}

TEST(SimkgcLoss, ExcludesKnownAnswersInBothDirections) {
  // Tail 1 answers query 0 too, and the head of query 1 is one of its answers: of query 0 the earlier tail and the head
  // are left, log(1 + e^-2 + e^-1.4) = .323483; of query 1 the two tails and the earlier one,
  // log(1 + e^-.2 + e^-.6) = .861852. Tail 0 is told from query 1 as before, tail 1 from nothing: .598139 / 2.
  SimkgcBatch batch = two_queries();
  batch.negative = torch::tensor({false, false, true, true, true, false, true, false}).view({2, 4});
  EXPECT_NEAR(simkgc_loss(batch, {.margin = 0.1}).item<double>(), (0.323483 + 0.861852) / 2 + 0.598139 / 2, 1e-5);
}

TEST(SimkgcLoss, GivesEarlierTailsNoGradientAndTheScaleOne) {
  SimkgcBatch batch = two_queries();
  batch.queries = batch.queries.requires_grad_();
  batch.scale = torch::tensor(2.0).requires_grad_();
  simkgc_loss(batch, {}).backward();
  EXPECT_TRUE(batch.queries.grad().defined());
  EXPECT_NE(batch.scale.grad().item<double>(), 0);
  EXPECT_FALSE(batch.earlier.requires_grad());
}

}  // namespace
}  // namespace hasa
