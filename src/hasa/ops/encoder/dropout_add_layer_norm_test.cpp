#include "hasa/ops/encoder/dropout_add_layer_norm.h"

#include "hasa/base/testing.h"
#include "hasa/ops/core/device.h"
#include "hasa/ops/table/row_ops_for_tests.h"

namespace hasa {
namespace {

using testing::difference;
using testing::largest;
using testing::Passed;
using testing::Tensors;
using torch::Tensor;

constexpr double kEps = 1e-12;
const SeededDropout kDropout{0.1, 1234567890123};

/// x, linear_bias, residual, weight, bias.
Tensors random_inputs(std::int64_t rows, std::int64_t width, torch::Dtype dtype = torch::kFloat32,
                      torch::Dtype parameters = torch::kFloat32, const torch::Device& device = torch::kCPU) {
  torch::manual_seed(3);
  const auto random = [&](at::IntArrayRef shape, torch::Dtype type) { return torch::randn(shape).to(device, type); };
  return {random({rows, width}, dtype), random({width}, parameters), random({rows, width}, dtype),
          random({width}, parameters), random({width}, parameters)};
}
testing::Operation with(const SeededDropout& dropout) {
  return [=](const Tensors& t) { return dropout_add_layer_norm(t[0], t[1], t[2], t[3], t[4], kEps, dropout); };
}
Tensor reference(const Tensors& t, const SeededDropout& dropout) {
  return dropout_add_layer_norm_reference(t[0], t[1], t[2], t[3], t[4], kEps, dropout);
}

TEST(DropoutAddLayerNorm, MatchesTheDoubleLoopAtAwkwardSizes) {
  for (const std::int64_t rows : {0, 1, 31, 33, 1025}) {
    for (const std::int64_t width : {16, 33, 96}) {
      const Tensors t = random_inputs(rows, width);
      for (const SeededDropout& dropout : {SeededDropout{}, kDropout}) {
        EXPECT_LT(difference(with(dropout)(t), reference(t, dropout)), 1e-5) << rows << " " << width;
        EXPECT_LT(difference(testing::pass(with(dropout), t).out, reference(t, dropout)), 1e-5);
      }
      EXPECT_LT(difference(dropout_add_layer_norm(t[0], {}, t[2], t[3], t[4], kEps, kDropout),
                           dropout_add_layer_norm_reference(t[0], {}, t[2], t[3], t[4], kEps, kDropout)),
                1e-5);
    }
  }
}

TEST(DropoutAddLayerNorm, HasTheGradientsOfItsDifferencesInDouble) {
  for (const SeededDropout& dropout : {SeededDropout{}, kDropout, SeededDropout{0.5, 3}}) {
    EXPECT_LT(testing::gradient_error(with(dropout), testing::doubles(random_inputs(9, 24))), 1e-6);
  }
  EXPECT_LT(testing::gradient_error(
                [](const Tensors& t) { return dropout_add_layer_norm(t[0], {}, t[1], t[2], t[3], kEps, kDropout); },
                testing::doubles({torch::randn({5, 7}), torch::randn({5, 7}), torch::randn({7}), torch::randn({7})})),
            1e-6);
}

TEST(DropoutAddLayerNorm, SendsGradientsToXThroughTheValuesItKeptAlone) {
  const Passed passed = testing::pass(with({0.3, 5}), random_inputs(33, 40));
  const Tensor dropped = seeded_dropout_factors({33, 40}, torch::kCPU, {0.3, 5}) == 0;
  EXPECT_TRUE(torch::equal(passed.grads[0] == 0, dropped));
  EXPECT_FALSE((passed.grads[2] == 0).any().item<bool>());
  EXPECT_LT(difference(passed.grads[0].sum(0), passed.grads[1]), 1e-5);
}

TEST(DropoutAddLayerNorm, GivesXAndResidualOneGradientWhereNothingIsDropped) {
  const Passed passed = testing::pass(with({}), random_inputs(5, 16));
  EXPECT_TRUE(torch::equal(passed.grads[0], passed.grads[2]));
}

TEST(DropoutAddLayerNorm, TakesParametersInFloatBesideValuesInBFloat16) {
  const Tensors t = random_inputs(33, 64, torch::kBFloat16, torch::kFloat32);
  const Passed ours = testing::pass(with(kDropout), t), exact = testing::pass(with(kDropout), testing::doubles(t));
  EXPECT_EQ(ours.out.scalar_type(), torch::kBFloat16);
  // Rounding of the product, of the sum and of the result to 8 bits.
  EXPECT_LT(difference(ours.out, exact.out), 0.02 * largest(exact.out));
  for (std::size_t i = 0; i < t.size(); ++i) {
    EXPECT_EQ(ours.grads[i].scalar_type(), t[i].scalar_type());
    EXPECT_LT(difference(ours.grads[i], exact.grads[i]), 0.03 * largest(exact.grads[i])) << i;
  }
}

TEST(DropoutAddLayerNorm, RefusesShapesThatDoNotFit) {
  const Tensors t = random_inputs(3, 32);
  const auto call = [&](const Tensor& bias_of_x, const Tensor& residual, const Tensor& weight) {
    return dropout_add_layer_norm(t[0], bias_of_x, residual, weight, t[4], kEps);
  };
  EXPECT_ERROR(call(t[1], t[2].slice(0, 0, 2), t[3]), "residual must be like x");
  EXPECT_ERROR(call(t[1].slice(0, 0, 2), t[2], t[3]), "linear_bias must be [width]");
  EXPECT_ERROR(call(t[1], t[2], t[3].slice(0, 0, 2)), "weight and bias [width]");
  EXPECT_ERROR(dropout_add_layer_norm_backward(t[0], {t[0], {}, {}, {}}, t[3], t[4], {}, true), "did not keep its sum");
}

/// The kernels against the double loop, and their gradients against tensor operations in double, which the tests
/// above hold against differences of values.
void expect_matches(const Tensors& t, const SeededDropout& dropout, double out_share, double grad_share) {
  const Passed ours = testing::pass(with(dropout), t);
  const SeededDropout here{dropout.share, dropout.seed};
  const Passed exact = testing::pass(with(here), testing::doubles(t));
  const Tensor loop = reference(testing::doubles(t), here);
  const std::string where = std::to_string(t[0].size(0)) + " x " + std::to_string(t[0].size(1));
  EXPECT_LE(difference(ours.out, loop), out_share * largest(loop)) << where;
  for (std::size_t i = 0; i < t.size(); ++i) {
    EXPECT_EQ(ours.grads[i].scalar_type(), t[i].scalar_type());
    EXPECT_LE(difference(ours.grads[i], exact.grads[i]), grad_share * largest(exact.grads[i])) << where << " of " << i;
  }
}

TEST(DropoutAddLayerNormGpu, MatchesTheReferenceInFloat) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  for (const std::int64_t width : {8, 33, 264, 384, 768, 1024, 4096, 4104}) {
    for (const std::int64_t rows : {0, 1, 31, 33, 1025}) {
      const Tensors t = random_inputs(rows, width, torch::kFloat32, torch::kFloat32, torch::kCUDA);
      // Sums of up to 4096 terms in float32; a row of 8 may have a small spread to divide by.
      expect_matches(t, rows % 2 == 0 ? SeededDropout{} : kDropout, 3e-5, 1e-4);
    }
  }
}

TEST(DropoutAddLayerNormGpu, MatchesTheReferenceInBFloat16) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  for (const torch::Dtype parameters : {torch::kBFloat16, torch::kFloat32}) {
    for (const std::int64_t width : {8, 264, 384, 768, 1024, 4096}) {
      for (const std::int64_t rows : {0, 1, 31, 33, 1025, 9001}) {
        if (rows == 9001 && width != 768) continue;  // more rows than blocks: each takes several turns
        const Tensors t = random_inputs(rows, width, torch::kBFloat16, parameters, torch::kCUDA);
        // Only the result is rounded, half a unit in the last of 8 bits. Gradients come from the sum so rounded.
        expect_matches(t, kDropout, 1.0 / 256, 0.03);
      }
    }
  }
}

TEST(DropoutAddLayerNormGpu, DropsWhatTheCpuDropsAndComesOutTheSameTwice) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  const Tensors t = random_inputs(1025, 768, torch::kBFloat16, torch::kBFloat16, torch::kCUDA);
  const SeededDropout stepped{0.1, 70, torch::full({1}, 7, torch::TensorOptions(torch::kCUDA).dtype(torch::kInt64))};
  const Passed one = testing::pass(with(stepped), t), two = testing::pass(with({0.1, 77}), t);
  EXPECT_TRUE(torch::equal(one.out, two.out));
  for (std::size_t i = 0; i < t.size(); ++i) EXPECT_TRUE(torch::equal(one.grads[i], two.grads[i])) << i;
  const Tensor dropped = seeded_dropout_factors({1025, 768}, torch::kCPU, {0.1, 77}) == 0;
  EXPECT_TRUE(torch::equal((one.grads[0] == 0).cpu(), dropped));
  EXPECT_FALSE(torch::equal(one.out, testing::pass(with({0.1, 78}), t).out));
}

TEST(DropoutAddLayerNormGpu, AgreesWithoutGradientsAndOnViews) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  const Tensors t = random_inputs(33, 768, torch::kBFloat16, torch::kBFloat16, torch::kCUDA);
  const Tensor expected = testing::pass(with(kDropout), t).out;
  EXPECT_TRUE(torch::equal(with(kDropout)(t), expected));
  Tensors views = t;
  views[0] = torch::cat({t[0], t[0]}, 1).slice(1, 768);
  views[2] =
      torch::cat({t[2].flatten().slice(0, 0, 1), t[2].flatten()}).slice(0, 1).view({33, 768});  // not on 16 bytes
  EXPECT_TRUE(torch::equal(with(kDropout)(views), expected));
  EXPECT_LT(difference(dropout_add_layer_norm(t[0], {}, t[2], t[3], t[4], kEps, kDropout),
                       dropout_add_layer_norm_reference(t[0], {}, t[2], t[3], t[4], kEps, kDropout)),
            0.05);
}

}  // namespace
}  // namespace hasa
