#include "hasa/ops/encoder/seeded_dropout.h"

#include <ATen/Parallel.h>

#include <cmath>
#include <limits>

#include "hasa/base/testing.h"
#include "hasa/ops/core/device.h"
#include "hasa/ops/table/row_ops_for_tests.h"

namespace hasa {
namespace {

using torch::Tensor;

Tensor factors(at::IntArrayRef shape, const SeededDropout& dropout, const torch::Device& device = torch::kCPU) {
  return seeded_dropout_factors(shape, device, dropout);
}

TEST(Philox, GivesThePublishedNumbersOfSevenRounds) {
  // Random123's known answer for philox4x32-7 with counter and key of zeros.
  const EightDraws zeros = philox(0, 0);
  EXPECT_EQ(zeros.words[0], 0x5f6fb709U);
  EXPECT_EQ(zeros.words[1], 0x0d893f64U);
  EXPECT_EQ(zeros.words[2], 0x4f121f81U);
  EXPECT_EQ(zeros.words[3], 0x4f730a48U);
  EXPECT_EQ(zeros[0], 0xb709U);
  EXPECT_EQ(zeros[7], 0x4f73U);
}

TEST(SeededDropout, DropsWithItsProbabilityAndKeepsTheMean) {
  for (const double share : {0.1, 0.5, 0.9}) {
    const Tensor f = factors({1000, 1025}, {share, 42});
    const auto n = static_cast<double>(f.numel());
    // Four standard deviations of a binomial, and the share's rounding to a 65536th.
    EXPECT_NEAR((f == 0).sum().item<double>(), share * n, 4 * std::sqrt(n * share * (1 - share)) + n / 131072);
    EXPECT_NEAR(f.mean().item<double>(), 1, 5 * std::sqrt(share / (1 - share) / n));
  }
}

TEST(SeededDropout, ChoosesNeighboursRowsAndSeedsIndependently) {
  const auto dropped = [](std::uint64_t seed) { return (factors({1024, 1024}, {0.5, seed}) == 0).to(torch::kFloat64); };
  const auto correlation = [](const Tensor& a, const Tensor& b) {
    return std::abs(((a - 0.5) * (b - 0.5)).mean().item<double>() * 4);
  };
  const double noise = 4 / std::sqrt(1024.0 * 1016);
  const Tensor one = dropped(7);
  for (const int away : {1, 2, 8}) {
    EXPECT_LT(correlation(one.slice(1, away), one.slice(1, 0, -away)), noise);
    EXPECT_LT(correlation(one.slice(0, away), one.slice(0, 0, -away)), noise);
  }
  EXPECT_LT(correlation(one, dropped(8)), noise);
  EXPECT_LT(correlation(one, dropped(7ULL << 32)), noise);
}

TEST(SeededDropout, IsTheSameForTheSameSeedAndAnyNumberOfThreads) {
  const auto draw = [](int threads, std::uint64_t seed) {
    const int before = at::get_num_threads();
    at::set_num_threads(threads);
    const Tensor f = factors({100003}, {0.1, seed});
    at::set_num_threads(before);
    return f;
  };
  EXPECT_TRUE(torch::equal(draw(1, 5), draw(2, 5)));
  EXPECT_FALSE(torch::equal(draw(1, 5), draw(1, 6)));
}

/// What ships drops what the reference drops, and scales by the same factor rounded to float32.
void expect_reference(const torch::Device& device) {
  const SeededDropout dropout{0.1, 77, torch::full({1}, 3, torch::TensorOptions(device).dtype(torch::kInt64))};
  for (const std::int64_t size : {0, 1, 7, 8, 31, 33, 1025, 100003}) {
    EXPECT_TRUE(torch::equal(factors({size}, dropout, device).cpu(),
                             seeded_dropout_factors_reference({size}, dropout).to(torch::kFloat32)));
  }
  EXPECT_TRUE(torch::equal(factors({31, 33}, dropout, device).cpu(),
                           seeded_dropout_factors_reference({31, 33}, dropout).to(torch::kFloat32)));
}

TEST(SeededDropout, DropsWhatTheReferenceDropsAtAwkwardSizes) { expect_reference(torch::kCPU); }

TEST(SeededDropout, LeavesInfinityWhereItIsKept) {
  const Tensor x = torch::full({33}, std::numeric_limits<float>::infinity());
  const Tensor kept = factors({33}, {0.5, 4}) != 0, out = seeded_dropout(x, {0.5, 4});
  EXPECT_TRUE(torch::equal(out.isinf(), kept));
}

TEST(SeededDropout, OfAPartIsThePartOfTheWhole) {
  for (const std::int64_t size : {0, 1, 7, 8, 31, 33, 1025}) {
    EXPECT_TRUE(torch::equal(factors({size}, {0.3, 9}), factors({2000}, {0.3, 9}).slice(0, 0, size)));
  }
}

TEST(SeededDropout, OfALaterPartIsThatPartOfTheWhole) {
  for (const std::int64_t size : {0, 1, 7, 8, 31, 33, 1025}) {
    EXPECT_TRUE(torch::equal(factors({size}, {0.3, 9, {}, 24}), factors({2000}, {0.3, 9}).slice(0, 24, 24 + size)));
  }
  EXPECT_ERROR(seeded_dropout(torch::ones({3}), {0.3, 9, {}, 4}), "cannot begin at 4, which is not a multiple of 8");
}

TEST(SeededDropout, AddsItsStepToTheSeed) {
  EXPECT_TRUE(torch::equal(factors({1000}, {0.3, 9, torch::full({1}, 4, torch::kInt64)}), factors({1000}, {0.3, 13})));
}

TEST(SeededDropout, SendsGradientsThroughWhatItKept) {
  const Tensor x = torch::randn({33, 31}).requires_grad_();
  const Tensor out = seeded_dropout(x, {0.3, 2});
  out.sum().backward();
  EXPECT_TRUE(torch::allclose(x.grad() * x.detach(), out.detach()));
}

TEST(SeededDropout, IsDrawnFromTorchsGeneratorWhileTraining) {
  torch::manual_seed(1);
  const SeededDropout first = draw_dropout(0.1, true), second = draw_dropout(0.1, true);
  torch::manual_seed(1);
  EXPECT_EQ(draw_dropout(0.1, true).seed, first.seed);
  EXPECT_NE(first.seed, second.seed);
  EXPECT_EQ(draw_dropout(0.1, false).share, 0);
  const Tensor x = torch::randn({5});
  EXPECT_TRUE(seeded_dropout(x, draw_dropout(0.1, false)).is_same(x));
}

TEST(SeededDropout, RejectsInvalidProbabilitiesAndSteps) {
  EXPECT_ERROR(seeded_dropout(torch::ones({3}), {1.0, 1}), "a share of 1 is not from 0 to below 1");
  EXPECT_ERROR(seeded_dropout(torch::ones({3}), {-0.1, 1}), "is not from 0 to below 1");
  EXPECT_ERROR(seeded_dropout(torch::ones({3}), {0.1, 1, torch::ones({2})}), "the step must be one int64");
}

TEST(SeededDropoutGpu, DropsWhatTheReferenceDropsAtAwkwardSizes) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  expect_reference(torch::kCUDA);
}

}  // namespace
}  // namespace hasa
