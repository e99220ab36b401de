#include "hasa/ops/encoder/hashed_dropout.h"

#include <ATen/Parallel.h>

#include <cmath>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

TEST(HashedDropout, DropsWithItsProbabilityAndScalesTheRest) {
  torch::manual_seed(1);
  const torch::Tensor out = hashed_dropout(torch::ones({1000, 1025}), 0.1, true);
  const double n = static_cast<double>(out.numel());
  const auto zeros = (out == 0).sum().item<double>();
  // Four standard deviations of a binomial.
  EXPECT_NEAR(zeros, 0.1 * n, 4 * std::sqrt(n * 0.1 * 0.9));
  EXPECT_TRUE(torch::allclose(out.masked_select(out != 0), torch::full({1}, 1 / 0.9F)));
}

TEST(HashedDropout, ChoosesNeighboursRowsAndColumnsIndependently) {
  torch::manual_seed(2);
  const torch::Tensor dropped = (hashed_dropout(torch::ones({1024, 1024}), 0.5, true) == 0).to(torch::kFloat64);
  const auto correlation = [](const torch::Tensor& a, const torch::Tensor& b) {
    return ((a - 0.5) * (b - 0.5)).mean().item<double>() * 4;
  };
  const double noise = 4 / std::sqrt(1024.0 * 1023);
  EXPECT_LT(std::abs(correlation(dropped.slice(1, 1), dropped.slice(1, 0, -1))), noise);
  EXPECT_LT(std::abs(correlation(dropped.slice(0, 1), dropped.slice(0, 0, -1))), noise);
}

TEST(HashedDropout, SendsGradientsThroughWhatItKept) {
  const torch::Tensor x = torch::randn({33, 31}).requires_grad_();
  const torch::Tensor out = hashed_dropout(x, 0.3, true);
  out.sum().backward();
  EXPECT_TRUE(torch::allclose(x.grad() * x.detach(), out.detach()));
}

TEST(HashedDropout, ComesOutTheSameFromTheSameGeneratorForAnyNumberOfThreads) {
  const auto draw = [](int threads) {
    const int before = at::get_num_threads();
    at::set_num_threads(threads);
    torch::manual_seed(3);
    const torch::Tensor out = hashed_dropout(torch::ones({100000}), 0.1, true);
    at::set_num_threads(before);
    return out;
  };
  EXPECT_TRUE(torch::equal(draw(1), draw(2)));
  EXPECT_FALSE(torch::equal(draw(1), hashed_dropout(torch::ones({100000}), 0.1, true)));
}

TEST(HashedDropout, OfAPartIsThatOfTheWholeAtItsPlace) {
  const torch::Tensor x = torch::randn({100, 24});
  torch::manual_seed(4);
  const torch::Tensor whole = hashed_dropout(x, 0.4, true);
  torch::manual_seed(4);
  EXPECT_TRUE(torch::equal(hashed_dropout(x.narrow(0, 37, 50), 0.4, true, 37 * 24), whole.narrow(0, 37, 50)));
}

TEST(HashedDropout, KeepsValuesOutsideTrainingAndAtProbabilityZero) {
  const torch::Tensor x = torch::randn({5});
  EXPECT_TRUE(torch::equal(hashed_dropout(x, 0.5, false), x));
  EXPECT_TRUE(torch::equal(hashed_dropout(x, 0, true), x));
  EXPECT_EQ(hashed_dropout(torch::empty({0}), 0.5, true).numel(), 0);
}

}  // namespace
}  // namespace hasa
