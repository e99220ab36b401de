#include "hasa/ops/float8.h"

#include "hasa/base/testing.h"
#include "hasa/ops/device.h"

namespace hasa {
namespace {

using torch::Tensor;

Tensor standing_for(const Float8Matrix& x) { return x.values.to(torch::kFloat32) * x.scale; }

TEST(Float8, KeepsThreeBitsOfE4m3AndTwoOfE5m2) {
  torch::manual_seed(1);
  const Tensor x = torch::randn({33, 64}) * 1e-3;
  for (const auto& [type, error] : {std::pair{torch::kFloat8_e4m3fn, 1.0 / 16}, {torch::kFloat8_e5m2, 1.0 / 8}}) {
    const Float8Matrix small = to_float8(x, type);
    const Tensor large = x.abs() > 1e-4;  // smaller ones lose bits in e4m3, which has few exponents
    EXPECT_LE(((standing_for(small) - x).abs() / x.abs()).masked_select(large).max().item<double>(), error + 1e-6);
  }
}

TEST(Float8, TakesTheGreatestMagnitudeToTheGreatestNumber) {
  const Tensor x = torch::tensor({{1.0F, -2.0F, 0.5F, 0.F, 0.F, 0.F, 0.F, 0.25F}});
  EXPECT_EQ(to_float8(x).values[0][1].to(torch::kFloat32).item<float>(), -448.0F);
  EXPECT_TRUE(torch::equal(standing_for(to_float8(torch::zeros({2, 8}))), torch::zeros({2, 8})));
}

TEST(Float8, TakesWhatLiesBeyondAGivenScaleToTheGreatestNumber) {
  const Float8Matrix x = to_float8(torch::full({1, 8}, 1000.0F), torch::kFloat8_e4m3fn, 1.0);
  EXPECT_EQ(x.values[0][0].to(torch::kFloat32).item<float>(), 448.0F);
}

double product_distance(const torch::Device& device, torch::Dtype type) {
  torch::manual_seed(2);
  const Tensor a = torch::randn({50, 768}).to(device, torch::kBFloat16) * 0.01;
  const Tensor b = torch::randn({256, 768}).to(device, torch::kBFloat16);
  const Tensor bias = torch::randn({256}).to(device, torch::kBFloat16);
  const Float8Matrix left = to_float8(a, type), right = to_float8(b);
  const Tensor exact = torch::mm(standing_for(left), standing_for(right).t()) + bias;
  const Tensor off = float8_product(left, right, bias).to(torch::kFloat32) - exact;
  return (off.norm() / exact.norm()).item<double>();
}

TEST(Float8, RefusesWhatTheMatrixUnitsDoNotTake) {
  const auto matrix = [](std::int64_t rows, std::int64_t columns) { return to_float8(torch::ones({rows, columns})); };
  EXPECT_ERROR(float8_product(matrix(4, 24), matrix(16, 24)), "in sixteens");
  EXPECT_ERROR(float8_product(matrix(4, 32), matrix(20, 32)), "in sixteens");
  EXPECT_ERROR(float8_product(matrix(4, 32), to_float8(torch::ones({16, 32}), torch::kFloat8_e5m2)), "must be e4m3");
  EXPECT_ERROR(to_float8(torch::ones({4, 12})), "columns in eights");
}

TEST(Float8, MultipliesWhatItStandsFor) { EXPECT_LT(product_distance(torch::kCPU, torch::kFloat8_e4m3fn), 4e-3); }

TEST(Float8Gpu, MultipliesWhatItStandsFor) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  if (!has_float8(torch::kCUDA)) GTEST_SKIP() << "no GPU with products of 8 bits";
  // Sums of 768 products in some 13 bits, and a result in 8.
  for (const torch::Dtype type : {torch::kFloat8_e4m3fn, torch::kFloat8_e5m2})
    EXPECT_LT(product_distance(torch::kCUDA, type), 1e-2);
}

TEST(Float8Gpu, RoundsAsTheCpuDoes) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  torch::manual_seed(3);
  const Tensor x = (torch::randn({40, 24}) * 100).to(torch::kBFloat16);
  for (const torch::Dtype type : {torch::kFloat8_e4m3fn, torch::kFloat8_e5m2}) {
    for (const std::optional<double> scale : {std::optional<double>(0.25), std::optional<double>()}) {
      const Float8Matrix here = to_float8(x, type, scale), there = to_float8(x.cuda(), type, scale);
      EXPECT_TRUE(torch::equal(here.values.to(torch::kFloat32), there.values.cpu().to(torch::kFloat32)));
    }
  }
}

}  // namespace
}  // namespace hasa
