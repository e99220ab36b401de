#include "hasa/families/star/star_loss.h"

#include <gtest/gtest.h>

namespace hasa {
namespace {

torch::Tensor rows_of_three(std::initializer_list<double> values) {
  return torch::tensor(std::vector<double>(values)).view({-1, 3});
}

/// Two queries with an answer and two false tails each; the last one is missing.
StarBatch two_queries() {
  return {.logits = rows_of_three({2, -1, 0, 1, 3, 7}),
          .distances = rows_of_three({1, 1.5, 3, 2, 0.5, 0}),
          .counted = torch::tensor({true, true, true, true, true, false}).view({2, 3})};
}

TEST(StarLoss, AddsBothObjectivesWorkedOutByHand) {
  // log(1 + e^-2) = .126928, log(1 + e^-1) = .313262, log 2 = .693147; log(1 + e^-1) = .313262,
  // log(1 + e^3) = 3.048587: their mean over 5 is .899037.
  // max(0, 1 + 1 - 1.5) = .5, max(0, 1 + 1 - 3) = 0, max(0, 1 + 2 - .5) = 2.5: their mean over 3 is 1.
  const StarLoss loss = star_loss(two_queries(), {.margin = 1, .ranking_weight = 0.5});
  EXPECT_NEAR(loss.classification.item<double>(), 0.899037, 1e-6);
  EXPECT_NEAR(loss.ranking.item<double>(), 1, 1e-6);
  EXPECT_NEAR(loss.loss.item<double>(), 1.399037, 1e-6);
}

TEST(StarLoss, GivesMissingTailsNoGradient) {
  StarBatch batch = two_queries();
  batch.logits.requires_grad_();
  batch.distances.requires_grad_();
  star_loss(batch, {}).loss.backward();
  EXPECT_EQ(batch.logits.grad()[1][2].item<double>(), 0);
  EXPECT_EQ(batch.distances.grad()[1][2].item<double>(), 0);
  EXPECT_LT(batch.logits.grad()[1][0].item<double>(), 0);     // an answer's logit is to rise
  EXPECT_GT(batch.distances.grad()[1][0].item<double>(), 0);  // its distance to fall
}

TEST(StarLoss, IsTheClassifiersAloneWhereNoQueryHasAFalseTail) {
  StarBatch batch = two_queries();
  batch.counted = torch::tensor({true, false, false, true, false, false}).view({2, 3});
  const StarLoss loss = star_loss(batch, {});
  EXPECT_NEAR(loss.loss.item<double>(), (0.126928 + 0.313262) / 2, 1e-6);
}

}  // namespace
}  // namespace hasa
