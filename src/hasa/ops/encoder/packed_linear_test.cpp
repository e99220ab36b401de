#include "hasa/ops/encoder/packed_linear.h"

#include <ATen/ops/gelu.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/relu.h>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

using torch::Tensor;

double difference(const Tensor& a, const Tensor& b) {
  if (a.numel() == 0 && a.sizes() == b.sizes()) return 0;
  return (a.to(torch::kFloat64) - b).abs().max().item<double>();
}

TEST(PackedLinear, MatchesDoubleAtAwkwardSizesWithEveryEpilogue) {
  torch::manual_seed(5);
  for (const std::int64_t rows : {0, 1, 31, 33, 1025}) {
    const Tensor x = torch::randn({rows, 48}), weight = torch::randn({33, 48}) / 7, bias = torch::randn({33});
    const auto wide = [](const Tensor& t) { return t.to(torch::kFloat64); };
    const Tensor expected = at::linear(wide(x), wide(weight), wide(bias));
    const PackedLinear linear(weight, bias);
    EXPECT_LT(difference(linear(x), expected), 1e-5) << rows;
    EXPECT_LT(difference(linear(x, Epilogue::gelu), at::gelu(expected)), 1e-5) << rows;
    EXPECT_LT(difference(linear(x, Epilogue::gelu_tanh), at::gelu(expected, "tanh")), 1e-5) << rows;
    EXPECT_LT(difference(linear(x, Epilogue::relu), at::relu(expected)), 1e-5) << rows;
  }
}

TEST(PackedLinear, InBFloat16SumsInFloat32) {
  const auto narrow = [](const Tensor& t) { return t.to(torch::kBFloat16); };
  const Tensor x = narrow(torch::randn({33, 384})), weight = narrow(torch::randn({64, 384}) / 20),
               bias = narrow(torch::randn({64}));
  const auto wide = [](const Tensor& t) { return t.to(torch::kFloat64); };
  const Tensor expected = at::linear(wide(x), wide(weight), wide(bias));
  const Tensor ours = PackedLinear(weight, bias)(x);
  EXPECT_EQ(ours.scalar_type(), torch::kBFloat16);
  // Half a unit in the last of 8 bits, for values below 8.
  EXPECT_LT(difference(ours, expected), 0.0157);
}

TEST(PackedLinear, RefusesABiasThatDoesNotFit) {
  EXPECT_ERROR(PackedLinear(torch::zeros({3, 4}), torch::zeros({4})), "bias [out]");
}

}  // namespace
}  // namespace hasa
