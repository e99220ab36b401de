#include "hasa/train/adamw.h"

#include <cmath>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

TEST(AdamW, FollowsTheFormulaOverThreeSteps) {
  OptimiserConfig config;
  config.lr = 0.1;
  config.weight_decay = 0.01;
  const torch::Tensor w = torch::tensor({1.0F, -2.0F}).requires_grad_();
  AdamW optimiser({{"w", w, ParameterKind::new_layer}}, config);
  double expected[2] = {1, -2}, mean[2] = {0, 0}, square[2] = {0, 0};
  for (int step = 1; step <= 3; ++step) {
    (w * w).sum().backward();
    optimiser.step(1);
    for (int i = 0; i < 2; ++i) {
      const double gradient = 2 * expected[i];
      expected[i] *= 1 - 0.1 * 0.01;
      mean[i] = 0.9 * mean[i] + 0.1 * gradient;
      square[i] = 0.999 * square[i] + 0.001 * gradient * gradient;
      expected[i] -=
          0.1 * (mean[i] / (1 - std::pow(0.9, step))) / (std::sqrt(square[i] / (1 - std::pow(0.999, step))) + 1e-8);
      EXPECT_NEAR(w[i].item<double>(), expected[i], 1e-5);
    }
  }
}

TEST(AdamW, ClipsTheGlobalGradientNorm) {
  // With clipping the first moment is a tenth of a gradient of length 1: 3-4-5, so .06 and .08.
  const torch::Tensor a = torch::zeros({}).requires_grad_(), b = torch::zeros({}).requires_grad_();
  AdamW optimiser({{"a", a, ParameterKind::new_layer}, {"b", b, ParameterKind::new_layer}}, {.clip = 1});
  (a * 30 + b * 40).backward();
  EXPECT_NEAR(optimiser.step(0.1).item<double>(), 50, 1e-4);
  EXPECT_NEAR(optimiser.state()[0].tensor.item<double>(), 0.06, 1e-5);
  EXPECT_NEAR(optimiser.state()[2].tensor.item<double>(), 0.08, 1e-5);
}

TEST(AdamW, KeepsAParameterWithoutGradient) {
  const torch::Tensor used = torch::ones({}).requires_grad_(), idle = torch::ones({}).requires_grad_();
  AdamW optimiser({{"used", used, ParameterKind::new_layer}, {"idle", idle, ParameterKind::new_layer}}, {});
  (used * 2).backward();
  optimiser.step(0.1);
  EXPECT_NE(used.item<float>(), 1.0F);
  EXPECT_EQ(idle.item<float>(), 1.0F);
}

TEST(AdamW, GivesEachKindOfParameterItsLearningRate) {
  // The first step of AdamW has the length of the rate, whatever the gradient.
  const auto fresh = [] { return torch::ones({}).requires_grad_(); };
  const torch::Tensor model = fresh(), layer = fresh(), scale = fresh();
  AdamW optimiser({{"model", model, ParameterKind::language_model},
                   {"layer", layer, ParameterKind::new_layer},
                   {"scale", scale, ParameterKind::scale}},
                  {.lr = 0.4, .language_model_lr = 0.1, .scale_lr = 0.2, .weight_decay = 0});
  (model * 3 + layer * 5 + scale * 7).backward();
  optimiser.step(0.5);
  EXPECT_NEAR(model.item<double>(), 0.95, 1e-6);
  EXPECT_NEAR(layer.item<double>(), 0.8, 1e-6);
  EXPECT_NEAR(scale.item<double>(), 0.9, 1e-6);
}

TEST(Schedule, WarmsUpAndDecaysToZero) {
  const RateSchedule rates{.warmup_steps = 10};
  EXPECT_DOUBLE_EQ(rates.factor(0, 110), 0.1);
  EXPECT_DOUBLE_EQ(rates.factor(9, 110), 1);
  EXPECT_DOUBLE_EQ(rates.factor(60, 110), 0.5);
  EXPECT_DOUBLE_EQ(rates.factor(110, 110), 0);
  EXPECT_DOUBLE_EQ((RateSchedule{.warmup_steps = 10, .decay = false}.factor(60, 110)), 1);
}

}  // namespace
}  // namespace hasa
