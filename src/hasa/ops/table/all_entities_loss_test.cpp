#include "hasa/ops/table/all_entities_loss.h"

#include "hasa/base/testing.h"
#include "hasa/ops/core/device.h"

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

/// Row r has 1 + r r `labels` answers.
void expect_on_gpu(std::int64_t rows, std::int64_t entities, std::int64_t labels) {
  std::vector<std::int64_t> ids, offsets{0};
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t i = 0; i < 1 + row * row * labels; ++i) ids.push_back((row * 31 + i * 3) % entities);
    offsets.push_back(static_cast<std::int64_t>(ids.size()));
  }
  const RaggedIds answers{torch::tensor(ids, torch::kInt64), torch::tensor(offsets, torch::kInt64)};
  for (const AllEntitiesLoss kind : {AllEntitiesLoss::cross_entropy, AllEntitiesLoss::bce}) {
    for (const double smoothing : {0.0, 0.1}) {
      const torch::Tensor exact = (torch::randn({rows, entities}, torch::kFloat64) * 8 + 3).requires_grad_();
      const torch::Tensor scores = exact.detach().to(torch::kCUDA, torch::kFloat32).requires_grad_();
      const torch::Tensor loss = all_entities_loss(scores, answers.to(torch::kCUDA), kind, smoothing, 1.5);
      (loss * 3).backward();
      const torch::Tensor expected = all_entities_loss_reference(exact, answers, kind, smoothing, 1.5);
      (expected * 3).backward();
      EXPECT_NEAR(loss.item<double>(), expected.item<double>(), 2e-6 * std::abs(expected.item<double>()));
      EXPECT_TRUE(torch::allclose(scores.grad().cpu().to(torch::kFloat64), exact.grad(), 1e-4, 1e-6));
    }
  }
}

TEST(AllEntitiesLossGpu, AndItsGradientMatchTheFormulaAsWritten) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  torch::manual_seed(2);
  expect_on_gpu(7, 4099, 20);
  expect_on_gpu(3, 5, 1);  // most threads have no score
}

TEST(AllEntitiesLoss, RefusesAnswersOfAnotherNumberOfQueries) {
  const RaggedIds answers{torch::tensor({0}, torch::kInt64), torch::tensor({0, 1}, torch::kInt64)};
  EXPECT_ERROR(all_entities_loss(torch::zeros({2, 3}), answers, AllEntitiesLoss::bce, 0, 0),
               "2 rows of scores, answers of 1 queries");
}

}  // namespace
}  // namespace hasa
