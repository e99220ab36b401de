#include "hasa/families/path/path_loss.h"

#include <cmath>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

torch::Tensor ids(std::initializer_list<std::int64_t> values) {
  return torch::tensor(std::vector<std::int64_t>(values), torch::kInt64);
}

/// Query 0 has the answers 1 and 2 (1 is asked), query 1 the answer 0.
ScoredPaths step() {
  return {torch::tensor({{0.5F, 2.0F, 9.0F, -1.0F}, {1.0F, 0.0F, 0.25F, -2.0F}}),
          ids({0, 1}),
          ids({1, 0}),
          {},
          ids({1, 2, 4})};
}

TEST(PathLoss, OfCrossEntropyLeavesOtherAnswersOut) {
  const double first = std::log(1 + std::exp(0.5 - 2) + std::exp(-1.0 - 2));
  const double second = std::log(1 + std::exp(0.0 - 1) + std::exp(0.25 - 1) + std::exp(-2.0 - 1));
  EXPECT_NEAR(path_loss(step(), {}).item<double>(), (first + second) / 2, 1e-6);
}

TEST(PathLoss, OfSelfAdversarialNegativesWeighsThemByTheirScores) {
  ScoredPaths scored = step();
  scored.negatives = ids({0, 3, 1, 2}).view({2, 2});
  PathTrainingConfig config;
  config.loss = PathLoss::self_adversarial;
  config.temperature = 0.5;
  const auto softplus = [](double x) { return std::log1p(std::exp(x)); };
  const auto of = [&](double positive, double a, double b) {
    const double w = std::exp(2 * a) / (std::exp(2 * a) + std::exp(2 * b));
    return (softplus(-positive) + w * softplus(a) + (1 - w) * softplus(b)) / 2;
  };
  EXPECT_NEAR(path_loss(scored, config).item<double>(), (of(2, 0.5, -1) + of(1, 0, 0.25)) / 2, 1e-6);
}

TEST(PathLoss, OfAQueryThatKnowsEveryEntityIsNothingAndHasNoGradient) {
  for (const PathLoss kind : {PathLoss::cross_entropy, PathLoss::self_adversarial}) {
    const torch::Tensor scores = torch::tensor({{1.0F, 3.0F}}).requires_grad_();
    PathTrainingConfig config;
    config.loss = kind;
    const torch::Tensor loss = path_loss({scores, ids({0}), ids({1}), {}, ids({0, 1})}, config);
    loss.backward();
    EXPECT_TRUE(std::isfinite(loss.item<double>()));
    EXPECT_EQ(scores.grad()[0][0].item<float>(), 0) << "no negative, so nothing pulls at the other answer";
  }
}

}  // namespace
}  // namespace hasa
