#include <cmath>
#include <limits>

#include "hasa/base/testing.h"
#include "hasa/loss/contrastive.h"
#include "hasa/loss/contrastive_for_tests.h"

namespace hasa::testing {
namespace {

using torch::Tensor;

bool finite(const Tensor& x) { return torch::isfinite(x).all().item<bool>(); }

TEST(ContrastiveExtremes, StaysFiniteAndRightWhenScoresReachTenThousand) {
  for (const double beta : {0.0, 1.0, 100.0}) {
    for (auto [name, config] : all_contrastive()) {
      SCOPED_TRACE(name);
      config.beta = beta;
      const ContrastiveBatch batch = random_contrastive_batch(9, 33, /*size=*/1e4, torch::kFloat32);
      const LossAndGradient outcome = loss_and_gradient(batch, config);
      const double expected = contrastive_loss_reference(batch, config).loss.item<double>();
      EXPECT_NEAR(outcome.loss, expected, 1e-6 * std::max(1.0, expected));
      EXPECT_TRUE(finite(outcome.gradient));
      EXPECT_GT(largest(outcome.gradient), 0.05);
    }
  }
}

TEST(ContrastiveExtremes, TinyScoresGiveTheLogarithmOfTheCandidates) {
  for (const auto& [name, config] : all_contrastive()) {
    if (config.tau > 0 && config.kind == ContrastiveKind::hasa) continue;
    SCOPED_TRACE(name);
    ContrastiveBatch batch = random_contrastive_batch(5, 16, /*size=*/1e-30, torch::kFloat32);
    batch.margin.zero_();
    batch.negative = torch::ones({5, 16}, torch::kBool).scatter(1, batch.positive.unsqueeze(1), 0);
    ContrastiveConfig alone = config;
    alone.tail_to_query = false;
    const LossAndGradient outcome = loss_and_gradient(batch, alone);
    EXPECT_NEAR(outcome.loss, std::log(16), 1e-6);
    const Tensor own = outcome.gradient.gather(1, batch.positive.unsqueeze(1)) * 5;
    EXPECT_LT(largest(own + 15.0 / 16), 1e-6);
    EXPECT_LT(largest(outcome.gradient.masked_select(batch.negative) * 5 - 1.0 / 16), 1e-6);
  }
}

/// One query whose answer is `ahead` of 20 equal negatives.
ContrastiveBatch tied_batch(double ahead, double at = 0) {
  ContrastiveBatch batch;
  batch.scores = torch::full({1, 21}, at, torch::kFloat32);
  batch.scores[0][4] = at + ahead;
  batch.negative = torch::ones({1, 21}, torch::kBool);
  batch.negative[0][4] = false;
  batch.positive = torch::tensor({4}, torch::kInt64);
  batch.margin = torch::zeros({});
  batch.neighbours = torch::tensor({{1, 1, 2}}, torch::kInt64);
  return batch;
}

TEST(ContrastiveExtremes, GivesTiedNegativesTheSameGradient) {
  for (const ContrastiveConfig& config : {kSimple, kHard}) {
    const LossAndGradient outcome = loss_and_gradient(tied_batch(0, /*at=*/-1e4), config);
    EXPECT_NEAR(outcome.loss, std::log(21), 1e-6);
    EXPECT_NEAR(outcome.gradient[0][0].item<double>(), 1.0 / 21, 1e-7);
    EXPECT_EQ(outcome.gradient[0][0].item<float>(), outcome.gradient[0][20].item<float>());
  }
}

TEST(ContrastiveExtremes, KeepsTheGradientOfAnAnswerFarAhead) {
  for (const ContrastiveConfig& config : {kSimple, kHard, kHasa}) {
    const double own = loss_and_gradient(tied_batch(60), config).gradient[0][4].item<double>();
    EXPECT_NEAR(own, -20 * std::exp(-60), 1e-5 * std::exp(-60) * 20);
  }
}

TEST(ContrastiveExtremes, HasTheFullGradientForAnAnswerFarBehind) {
  for (const ContrastiveConfig& config : {kSimple, kHard, kHasa}) {
    const LossAndGradient outcome = loss_and_gradient(tied_batch(-2e4), config);
    EXPECT_NEAR(outcome.loss, 2e4 + std::log(20), 0.01);
    EXPECT_EQ(outcome.gradient[0][4].item<float>(), -1.0F);
    EXPECT_NEAR(outcome.gradient.sum().item<double>(), 0, 1e-6);
  }
}

TEST(ContrastiveExtremes, StopsAtTheFloorWhenNeighboursScoreFarAboveTheNegatives) {
  ContrastiveBatch batch = tied_batch(0);
  batch.neighbours = torch::tensor({{4, 4, 4}}, torch::kInt64);
  batch.scores[0][4] = 1e4;
  const LossAndGradient outcome = loss_and_gradient(batch, kHasa);
  EXPECT_EQ(outcome.floored, 1);
  EXPECT_TRUE(finite(outcome.gradient));

  // The answer far behind: the loss is linear there, and shows the factor floor / (1 - tau).
  batch.positive = torch::tensor({5}, torch::kInt64);
  batch.negative = torch::ones({1, 21}, torch::kBool);
  batch.negative[0][5] = batch.negative[0][4] = false;
  batch.scores[0][5] = -100;
  EXPECT_NEAR(loss_and_gradient(batch, kHasa).loss, 100 + std::log(19 * 0.1 / 0.9), 1e-4);
}

TEST(ContrastiveExtremes, AFloorOfOneLeavesOnlyTheDivisionByOneMinusTau) {
  const ContrastiveBatch batch = random_contrastive_batch(1, 9, /*size=*/1, torch::kFloat32);
  ContrastiveConfig config = kHasa;
  config.floor = 1;
  const LossAndGradient outcome = loss_and_gradient(batch, config);
  ContrastiveBatch lower = batch;
  lower.margin = batch.margin - std::log(1 - config.tau);
  const LossAndGradient hard = loss_and_gradient(lower, kHard);
  EXPECT_EQ(outcome.floored, 1);
  EXPECT_NEAR(outcome.loss, hard.loss, 1e-6);
  EXPECT_LT(largest(outcome.gradient - hard.gradient), 1e-6);
}

TEST(ContrastiveExtremes, IsZeroWithoutGradientForQueriesWithoutNegatives) {
  for (const auto& [name, config] : all_contrastive()) {
    SCOPED_TRACE(name);
    ContrastiveBatch batch = random_contrastive_batch(4, 6);
    ContrastiveConfig alone = config;
    alone.tail_to_query = false;
    batch.negative[3].fill_(false);
    const LossAndGradient one_empty = loss_and_gradient(batch, alone);
    EXPECT_TRUE(std::isfinite(one_empty.loss));
    EXPECT_TRUE(finite(one_empty.gradient));
    EXPECT_EQ(largest(one_empty.gradient[3]), 0);
    EXPECT_EQ(one_empty.floored, contrastive_loss_reference(batch, alone).floored.item<double>());
    batch.negative.fill_(false);
    const LossAndGradient all_empty = loss_and_gradient(batch, alone);
    EXPECT_EQ(all_empty.loss, 0);
    EXPECT_EQ(all_empty.floored, 0);
    EXPECT_EQ(largest(all_empty.gradient), 0);
  }
}

TEST(ContrastiveExtremes, IsZeroForOneColumnAndOneQuery) {
  ContrastiveBatch batch = random_contrastive_batch(1, 1);
  for (const auto& [name, config] : all_contrastive()) {
    const LossAndGradient outcome = loss_and_gradient(batch, config);
    EXPECT_EQ(outcome.loss, 0);
    EXPECT_EQ(largest(outcome.gradient), 0);
  }
}

TEST(ContrastiveExtremes, PassesNaNOnInsteadOfHidingIt) {
  for (const auto& [name, config] : all_contrastive()) {
    SCOPED_TRACE(name);
    ContrastiveBatch batch = random_contrastive_batch(3, 5);
    batch.scores.fill_(std::numeric_limits<double>::quiet_NaN());
    batch.negative[0] = true;
    EXPECT_TRUE(std::isnan(contrastive_loss(batch, config).loss.item<double>()));
  }
}

}  // namespace
}  // namespace hasa::testing
