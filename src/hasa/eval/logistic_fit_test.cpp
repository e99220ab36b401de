#include "hasa/eval/logistic_fit.h"

#include <cmath>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

TEST(LogisticFit, OfAConstantFeatureIsTheLogOddsOfTheBaseRate) {
  const std::vector<double> ones(10, 1);
  const std::vector<std::uint8_t> outcomes = {1, 0, 0, 0, 1, 0, 0, 0, 0, 0};
  const auto weights = fit_logistic(ones, 1, outcomes, 1e-9);
  EXPECT_NEAR(weights[0], std::log(0.2 / 0.8), 1e-6);
}

TEST(LogisticFit, OfOneYesOrNoFeatureGivesTheLogOddsOfItsTwoGroups) {
  // Of rows without the feature 1 in 4 are true, with it 3 in 4: weights log(1/3) and 2 log 3.
  std::vector<double> features;
  std::vector<std::uint8_t> outcomes;
  for (int i = 0; i < 8; ++i) {
    features.insert(features.end(), {1, i < 4 ? 0.0 : 1.0});
    outcomes.push_back(i == 0 || i > 4 ? 1 : 0);
  }
  const auto weights = fit_logistic(features, 2, outcomes, 1e-9);
  EXPECT_NEAR(weights[0], -std::log(3.0), 1e-6);
  EXPECT_NEAR(weights[1], 2 * std::log(3.0), 1e-6);
}

TEST(LogisticFit, StaysFiniteOnSeparableData) {
  std::vector<double> features;
  std::vector<std::uint8_t> outcomes;
  for (int i = -50; i < 50; ++i) {
    features.insert(features.end(), {1, i * 1e3});
    outcomes.push_back(i >= 0 ? 1 : 0);
  }
  const auto weights = fit_logistic(features, 2, outcomes, 1);
  EXPECT_TRUE(std::isfinite(weights[0]) && std::isfinite(weights[1]));
  EXPECT_GT(weights[1], 0);
}

TEST(LogisticFit, SigmoidDoesNotOverflow) {
  EXPECT_EQ(sigmoid(1e6), 1);
  EXPECT_EQ(sigmoid(-1e6), 0);
  EXPECT_EQ(sigmoid(0), 0.5);
}

}  // namespace
}  // namespace hasa
