#include "hasa/ops/table/adagrad_step.h"

#include "hasa/base/testing.h"
#include "hasa/ops/core/device.h"

namespace hasa {
namespace {

using torch::Tensor;

/// Three steps of what ships, side by side with the reference.
void expect_reference(at::IntArrayRef shape, torch::Device device) {
  torch::manual_seed(1);
  const Tensor x = torch::randn(shape).to(device), squares = torch::rand(shape).to(device);
  AdagradStepReference expected{x, squares};
  for (int i = 0; i < 3; ++i) {
    const Tensor gradient = torch::randn(shape).to(device);
    expected = adagrad_step_reference(expected.x, gradient, expected.squares, 0.1, 0.01);
    adagrad_step(x, gradient, squares, 0.1, 0.01);
  }
  // Three steps in float32 of values near 1; a GPU's root and quotient are off by a last place each.
  EXPECT_TRUE(torch::allclose(x.cpu().to(torch::kFloat64), expected.x, 1e-5, 1e-6)) << shape;
  EXPECT_TRUE(torch::allclose(squares.cpu().to(torch::kFloat64), expected.squares, 1e-5, 1e-6)) << shape;
}

TEST(AdagradStep, FollowsItsRule) {
  const Tensor x = torch::full({1, 2}, 3.0F), squares = torch::full({1, 2}, 9.0F);
  adagrad_step(x, torch::tensor({4.0F, 0.0F}).view({1, 2}), squares, 0.5, 0.1);
  EXPECT_TRUE(torch::allclose(squares, torch::tensor({25.0F, 9.0F}).view({1, 2})));
  EXPECT_TRUE(torch::allclose(x, torch::tensor({3 * 0.95F - 0.5F * 4 / 5, 3 * 0.95F}).view({1, 2})));
}

TEST(AdagradStep, MatchesTheDoubleReferenceAtAwkwardSizes) {
  for (const std::int64_t rows : {0, 1, 31, 33, 1025}) expect_reference({rows, 37}, torch::kCPU);
}

TEST(AdagradStep, ReadsAGradientThatIsNotContiguous) {
  torch::manual_seed(2);
  const Tensor x = torch::randn({33, 31}), squares = torch::zeros({33, 31}), gradient = torch::randn({31, 33}).t();
  const AdagradStepReference expected = adagrad_step_reference(x, gradient, squares, 0.1, 0);
  adagrad_step(x, gradient, squares, 0.1, 0);
  EXPECT_TRUE(torch::allclose(x.to(torch::kFloat64), expected.x, 1e-5, 1e-6));
}

TEST(AdagradStep, RefusesTensorsOfDifferentShape) {
  EXPECT_ERROR(adagrad_step(torch::zeros({2, 3}), torch::zeros({3, 2}), torch::zeros({2, 3}), 1, 0), "of one shape");
}

TEST(AdagradStepGpu, MatchesTheDoubleReferenceAtAwkwardSizes) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  for (const std::int64_t rows : {0, 1, 31, 33, 1025}) expect_reference({rows, 37}, torch::kCUDA);
}

}  // namespace
}  // namespace hasa
