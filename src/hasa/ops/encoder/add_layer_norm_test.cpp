#include "hasa/ops/encoder/add_layer_norm.h"

#include <ATen/Context.h>
#include <torch/csrc/autograd/autograd.h>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

using torch::Tensor;

struct Case {
  Tensor x, residual, weight, bias;
};
Case random_case(std::int64_t rows, std::int64_t width, torch::TensorOptions options = torch::kFloat32) {
  torch::manual_seed(3);
  const auto random = [&](at::IntArrayRef shape) {
    return torch::randn(shape).to(options.device(), c10::typeMetaToScalarType(options.dtype()));
  };
  return {random({rows, width}), random({rows, width}), random({width}), random({width})};
}
double difference(const Tensor& a, const Tensor& b) {
  if (a.numel() == 0 && a.sizes() == b.sizes()) return 0;
  return (a.cpu().to(torch::kFloat64) - b.cpu().to(torch::kFloat64)).abs().max().item<double>();
}

TEST(AddLayerNorm, MatchesTheDoubleLoopAtAwkwardSizes) {
  for (const std::int64_t rows : {0, 1, 31, 33, 1025}) {
    for (const std::int64_t width : {16, 32, 33, 384}) {
      const Case c = random_case(rows, width);
      EXPECT_LT(difference(add_layer_norm(c.x, c.residual, c.weight, c.bias, 1e-12),
                           add_layer_norm_reference(c.x, c.residual, c.weight, c.bias, 1e-12)),
                1e-5)
          << rows << " " << width;
      EXPECT_LT(difference(add_layer_norm(c.x, {}, c.weight, c.bias, 1e-5),
                           add_layer_norm_reference(c.x, {}, c.weight, c.bias, 1e-5)),
                1e-5);
    }
  }
}

TEST(AddLayerNorm, AnOffsetAThousandTimesTheSpreadKeepsItsPrecision) {
  const Case c = random_case(5, 384);
  EXPECT_LT(difference(add_layer_norm(c.x + 1000, {}, c.weight, c.bias, 1e-12),
                       add_layer_norm_reference(c.x + 1000, {}, c.weight, c.bias, 1e-12)),
            1e-3);
}

TEST(AddLayerNorm, InBFloat16OnlyInputsAndOutputsAreRounded) {
  const Case c = random_case(33, 384, torch::kBFloat16);
  const Tensor exact = add_layer_norm_reference(c.x.to(torch::kFloat32), c.residual, c.weight, c.bias, 1e-12);
  const Tensor ours = add_layer_norm(c.x, c.residual, c.weight, c.bias, 1e-12).to(torch::kFloat32);
  // Half a unit in the last of 8 bits.
  EXPECT_LE(((ours - exact).abs() / exact.abs().clamp_min(1e-3)).max().item<double>(), 1.0 / 256 + 1e-4);
}

TEST(AddLayerNorm, RowsThatAreNotContiguousGiveTheSame) {
  const Case c = random_case(32, 64);
  const Tensor wide = torch::cat({c.x, c.x}, 1).slice(1, 0, 64);
  EXPECT_LT(difference(add_layer_norm(wide, c.residual, c.weight, c.bias, 1e-12),
                       add_layer_norm(c.x, c.residual, c.weight, c.bias, 1e-12)),
            1e-5);
}

TEST(AddLayerNorm, GradientsReachEveryInput) {
  Case c = random_case(3, 32);
  const std::vector<Tensor> inputs = {c.x.set_requires_grad(true), c.residual.set_requires_grad(true),
                                      c.weight.set_requires_grad(true), c.bias.set_requires_grad(true)};
  const Tensor out = add_layer_norm(c.x, c.residual, c.weight, c.bias, 1e-12);
  for (const Tensor& grad : torch::autograd::grad({(out * out).sum()}, inputs)) {
    EXPECT_GT(grad.abs().max().item<double>(), 0);
  }
}

TEST(AddLayerNorm, RefusesShapesThatDoNotFit) {
  const Case c = random_case(3, 32);
  EXPECT_ERROR(add_layer_norm(c.x, c.residual.slice(0, 0, 2), c.weight, c.bias, 1e-12), "residual must be like x");
  EXPECT_ERROR(add_layer_norm(c.x, {}, c.weight.slice(0, 0, 2), c.bias, 1e-12), "weight and bias [width]");
}

TEST(AddLayerNormGpu, MatchesTheDoubleLoop) {
  if (!at::globalContext().hasCUDA()) GTEST_SKIP() << "no GPU";
  const Case c = random_case(33, 384, torch::TensorOptions(torch::kCUDA).dtype(torch::kFloat32));
  EXPECT_LT(difference(add_layer_norm(c.x, c.residual, c.weight, c.bias, 1e-12),
                       add_layer_norm_reference(c.x, c.residual, c.weight, c.bias, 1e-12)),
            1e-5);
}

}  // namespace
}  // namespace hasa
