#include "hasa/ops/adagrad_step.h"

#include "hasa/base/testing.h"
#include "hasa/ops/device.h"

namespace hasa {
namespace {

using torch::Tensor;

/// Three steps on a device, then the table and its squares.
Tensor after_steps(const Tensor& start, torch::Device device) {
  const Tensor x = start.clone().to(device), squares = torch::zeros_like(x);
  torch::manual_seed(2);
  for (int i = 0; i < 3; ++i) adagrad_step(x, torch::randn(start.sizes()).to(device), squares, 0.1, 0.01);
  return torch::cat({x, squares}).cpu();
}

TEST(AdagradStep, FollowsItsRule) {
  const Tensor x = torch::full({1, 2}, 3.0F), squares = torch::full({1, 2}, 9.0F);
  adagrad_step(x, torch::tensor({4.0F, 0.0F}).view({1, 2}), squares, 0.5, 0.1);
  EXPECT_TRUE(torch::allclose(squares, torch::tensor({25.0F, 9.0F}).view({1, 2})));
  EXPECT_TRUE(torch::allclose(x, torch::tensor({3 * 0.95F - 0.5F * 4 / 5, 3 * 0.95F}).view({1, 2})));
}

TEST(AdagradStep, RefusesTensorsOfDifferentShape) {
  EXPECT_ERROR(adagrad_step(torch::zeros({2, 3}), torch::zeros({3, 2}), torch::zeros({2, 3}), 1, 0), "of one shape");
}

TEST(AdagradStepGpu, GivesWhatTheCpuGives) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  torch::manual_seed(1);
  for (const std::int64_t rows : {1, 7, 1025}) {
    const Tensor start = torch::randn({rows, 37});
    EXPECT_TRUE(torch::allclose(after_steps(start, torch::kCUDA), after_steps(start, torch::kCPU), 1e-5, 1e-6));
  }
}

}  // namespace
}  // namespace hasa
