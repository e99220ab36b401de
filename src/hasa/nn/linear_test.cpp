#include "hasa/nn/linear.h"

#include <cmath>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

TEST(Linear, MultipliesByTheTransposedWeightAndAddsTheBias) {
  Linear layer(2, 3);
  layer.weight = torch::tensor({1.F, 2.F, 3.F, 4.F, 5.F, 6.F}).reshape({3, 2});
  layer.bias = torch::tensor({0.F, 10.F, 100.F});
  EXPECT_TRUE(torch::equal(layer(torch::tensor({{1.F, -1.F}})), torch::tensor({{-1.F, 9.F, 99.F}})));
}

TEST(Linear, WithoutGradientsGivesARowTheSameResultWhateverStandsBesideIt) {
  torch::manual_seed(4);
  const Linear layer(96, 70);
  const torch::Tensor rows = torch::randn({130, 96});
  const torch::NoGradGuard no_grad;
  const torch::Tensor together = layer(rows);
  for (const std::int64_t step : {1, 7, 64}) {
    for (std::int64_t first = 0; first < 130; first += step) {
      const std::int64_t last = std::min<std::int64_t>(130, first + step);
      ASSERT_TRUE(torch::equal(layer(rows.slice(0, first, last)), together.slice(0, first, last))) << step;
    }
  }
}

TEST(Linear, GivesNearlyTheSameWithGradientsAndWithout) {
  torch::manual_seed(5);
  const Linear layer(300, 40);
  const torch::Tensor rows = torch::randn({50, 300}), trained = layer(rows);
  const torch::NoGradGuard no_grad;
  EXPECT_TRUE(torch::allclose(layer(rows), trained, 1e-5, 1e-6));
}

TEST(Linear, DrawsItsWeightsUniformlyWithinOneOverTheRootOfTheInputs) {
  torch::manual_seed(1);
  const Linear layer(16, 4000);
  for (const torch::Tensor& drawn : {layer.weight, layer.bias}) {
    EXPECT_LE(drawn.abs().max().item<double>(), 0.25);
    EXPECT_GT(drawn.abs().max().item<double>(), 0.249);
    // The standard deviation of a uniform distribution of width .5.
    EXPECT_NEAR(drawn.std().item<double>(), 0.5 / std::sqrt(12.0), 0.005);
    EXPECT_NEAR(drawn.mean().item<double>(), 0, 0.01);
    EXPECT_TRUE(drawn.requires_grad());
  }
}

TEST(LayerNorm, BringsRowsToMeanZeroAndVarianceOneThenScalesAndShifts) {
  LayerNorm norm(4);
  const torch::Tensor x = torch::tensor({{1.F, 2.F, 3.F, 4.F}, {-10.F, 0.F, 0.F, 10.F}});
  const torch::Tensor y = norm(x);
  EXPECT_TRUE(torch::allclose(y.mean(1), torch::zeros({2}), 0, 1e-6));
  EXPECT_TRUE(torch::allclose(y.var(1, /*unbiased=*/false), torch::ones({2}), 1e-4));
  norm.weight = torch::full({4}, 3.F);
  norm.bias = torch::full({4}, 5.F);
  EXPECT_TRUE(torch::allclose(norm(x), y * 3 + 5, 1e-5));
}

}  // namespace
}  // namespace hasa
