#include "hasa/loss/all_entities_loss.h"

#include "hasa/base/testing.h"

namespace hasa {
namespace {

TEST(AllEntitiesLoss, AndItsGradientMatchTheFormulaAsWritten) {
  torch::manual_seed(1);
  const RaggedIds answers{torch::tensor({2, 0, 3, 4, 1}, torch::kInt64), torch::tensor({0, 1, 4, 5}, torch::kInt64)};
  for (const AllEntitiesLoss kind : {AllEntitiesLoss::cross_entropy, AllEntitiesLoss::bce}) {
    for (const double smoothing : {0.0, 0.1}) {
      const torch::Tensor scores = (torch::randn({3, 5}, torch::kFloat64) * 4).requires_grad_();
      const torch::Tensor loss = all_entities_loss(scores, answers, kind, smoothing, 1.5);
      loss.backward();
      const torch::Tensor gradient = scores.grad().clone();
      scores.mutable_grad() = torch::Tensor();
      const torch::Tensor expected = all_entities_loss_reference(scores, answers, kind, smoothing, 1.5);
      expected.backward();
      EXPECT_NEAR(loss.item<double>(), expected.item<double>(), 1e-9);
      EXPECT_TRUE(torch::allclose(gradient, scores.grad(), 1e-8, 1e-9));
    }
  }
}

TEST(AllEntitiesLoss, RefusesAnswersOfAnotherNumberOfQueries) {
  const RaggedIds answers{torch::tensor({0}, torch::kInt64), torch::tensor({0, 1}, torch::kInt64)};
  EXPECT_ERROR(all_entities_loss(torch::zeros({2, 3}), answers, AllEntitiesLoss::bce, 0, 0),
               "2 rows of scores, answers of 1 queries");
}

}  // namespace
}  // namespace hasa
