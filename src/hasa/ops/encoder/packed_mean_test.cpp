#include "hasa/ops/encoder/packed_mean.h"

#include <ATen/Context.h>
#include <torch/csrc/autograd/autograd.h>

#include <vector>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

using torch::Tensor;

PackedTexts texts_of(const std::vector<std::int32_t>& offsets) { return {torch::tensor(offsets, torch::kInt32), 1025}; }

double difference(const Tensor& a, const Tensor& b) {
  if (a.numel() == 0 && a.sizes() == b.sizes()) return 0;
  return (a.cpu().to(torch::kFloat64) - b.cpu().to(torch::kFloat64)).abs().max().item<double>();
}

TEST(PackedMean, MatchesTheDoubleLoopAtAwkwardSizes) {
  for (const auto& offsets :
       std::vector<std::vector<std::int32_t>>{{0}, {0, 0}, {0, 1}, {0, 31, 64}, {0, 1025}, {0, 5, 5, 6}}) {
    const Tensor x = torch::randn({offsets.back(), 5});
    EXPECT_LT(difference(packed_mean(x, texts_of(offsets)), packed_mean_reference(x, texts_of(offsets))), 1e-6);
  }
}

TEST(PackedMean, TheDifferentiablePathGivesTheSameAndItsGradientIsTheShareOfEachRow) {
  const Tensor x = torch::randn({6, 4}).set_requires_grad(true);
  const Tensor out = packed_mean(x, texts_of({0, 4, 4, 6}));
  EXPECT_LT(difference(out.detach(), packed_mean(x.detach(), texts_of({0, 4, 4, 6}))), 1e-6);
  const Tensor grad = torch::autograd::grad({out.sum()}, {x})[0];
  EXPECT_TRUE(grad.select(1, 0).allclose(torch::tensor({.25f, .25f, .25f, .25f, .5f, .5f})));
}

TEST(PackedMean, SumsBFloat16InFloat32) {
  const Tensor x = torch::ones({1024, 2}, torch::kBFloat16);
  EXPECT_TRUE(packed_mean(x, texts_of({0, 1024})).equal(torch::ones({1, 2})));
}

TEST(PackedMean, RefusesOffsetsPastTheEnd) {
  EXPECT_ERROR(packed_mean(torch::zeros({3, 2}), texts_of({0, 4})), "text 0 spans 0..4 of 3 rows");
}

TEST(PackedMeanGpu, MatchesTheDoubleLoop) {
  if (!at::globalContext().hasCUDA()) GTEST_SKIP() << "no GPU";
  const Tensor x = torch::randn({64, 5});
  PackedTexts texts = texts_of({0, 31, 31, 64});
  const Tensor expected = packed_mean_reference(x, texts);
  texts.offsets = texts.offsets.to(torch::kCUDA);
  EXPECT_LT(difference(packed_mean(x.to(torch::kCUDA), texts), expected), 1e-6);
}

}  // namespace
}  // namespace hasa
