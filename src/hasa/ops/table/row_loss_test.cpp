#include "hasa/ops/table/row_loss.h"

#include <cmath>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

double loss_of_row(const std::vector<double>& scores, const RowLoss& loss) {
  const auto columns = static_cast<std::int64_t>(scores.size());
  return row_losses(torch::tensor(scores, torch::kFloat64).view({1, columns}), loss).item<double>();
}

TEST(RowLosses, AreTheFormulasOnScoresWorkedOutByHand) {
  EXPECT_NEAR(loss_of_row({1, 0, 2}, {RowLossKind::cross_entropy}),
              std::log(std::exp(1) + std::exp(0) + std::exp(2)) - 1, 1e-12);
  EXPECT_NEAR(loss_of_row({1, 0, 2}, {RowLossKind::bce, 0.5}),
              -std::log(sigmoid(1.5)) - std::log(sigmoid(-0.5)) - std::log(sigmoid(-2.5)), 1e-12);
  EXPECT_NEAR(loss_of_row({1, 0, 2}, {RowLossKind::margin, 0.5}), (0 + 1.5) / 2, 1e-12);
  const double w = std::exp(0.5 * 2) / (1 + std::exp(0.5 * 2));  // of the second candidate at temperature 1/2
  EXPECT_NEAR(loss_of_row({-1, 0, 2}, {RowLossKind::self_adversarial, 3, 0.5}),
              -0.5 * std::log(sigmoid(2)) - 0.5 * ((1 - w) * std::log(sigmoid(-3)) + w * std::log(sigmoid(-5))), 1e-12);
}

TEST(RowLosses, StayFiniteForScoresOfTenThousand) {
  for (const RowLossKind kind :
       {RowLossKind::self_adversarial, RowLossKind::cross_entropy, RowLossKind::bce, RowLossKind::margin}) {
    const torch::Tensor scores = torch::tensor({-1e4, 1e4, 0.0}, torch::kFloat32).view({1, 3}).requires_grad_();
    const torch::Tensor loss = row_losses(scores, {kind, 6, 1});
    loss.sum().backward();
    EXPECT_TRUE(std::isfinite(loss.item<float>()));
    EXPECT_TRUE(torch::isfinite(scores.grad()).all().item<bool>());
  }
}

TEST(RowLosses, TakeSelfAdversarialWeightsAsGiven) {
  const torch::Tensor scores = torch::tensor({0.0, 1.0, 3.0}, torch::kFloat64).view({1, 3}).requires_grad_();
  row_losses(scores, {RowLossKind::self_adversarial, 0, 1}).sum().backward();
  const double w = std::exp(3.0) / (std::exp(1.0) + std::exp(3.0));
  EXPECT_NEAR(scores.grad()[0][2].item<double>(), 0.5 * w * sigmoid(3), 1e-12);
}

TEST(RowLosses, RefuseAnAnswerAlone) {
  EXPECT_ERROR(row_losses(torch::zeros({2, 1}), {RowLossKind::bce}), "a candidate at least");
}

}  // namespace
}  // namespace hasa
