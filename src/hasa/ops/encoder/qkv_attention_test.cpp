#include "hasa/ops/encoder/qkv_attention.h"

#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "hasa/base/testing.h"
#include "hasa/ops/core/device.h"
#include "hasa/ops/table/row_ops_for_tests.h"

namespace hasa {
namespace {

using testing::difference;
using testing::largest;
using torch::Tensor;
using Lengths = std::vector<std::int32_t>;

struct Batch {
  Tensor qkv, grad_out;
  PackedTexts texts;
  double scale;
  SeededDropout dropout = {};
};

Batch random_batch(const Lengths& lengths, std::int64_t heads, std::int64_t size, torch::Dtype dtype = torch::kFloat32,
                   const torch::Device& device = torch::kCPU) {
  at::manual_seed(7);
  Lengths offsets = {0};
  for (const std::int32_t length : lengths) offsets.push_back(offsets.back() + length);
  Batch batch;
  batch.qkv = torch::randn({offsets.back(), 3, heads, size}).to(device, dtype);
  batch.grad_out = torch::randn({offsets.back(), heads, size}).to(device, dtype);
  batch.texts.offsets = torch::tensor(offsets, torch::kInt32).to(device);
  for (const std::int32_t length : lengths) batch.texts.longest = std::max<std::int64_t>(batch.texts.longest, length);
  batch.scale = 1.0 / std::sqrt(static_cast<double>(size));
  return batch;
}

/// The values and the gradient of qkv for grad_out.
struct Both {
  Tensor out, grad;
};

Both through_passes(const Batch& b) {
  const QkvAttention forward = qkv_attention_forward(b.qkv, b.texts, b.scale, b.dropout);
  return {forward.out, qkv_attention_backward(b.grad_out, b.qkv, forward, b.texts, b.scale, b.dropout)};
}

Both through_autograd(const Batch& b) {
  const Tensor leaf = b.qkv.detach().clone().requires_grad_();
  const Tensor out = qkv_attention(leaf, b.texts, b.scale);
  return {out.detach(), torch::autograd::grad({out}, {leaf}, {b.grad_out})[0]};
}

Both reference(const Batch& b) {
  const QkvAttentionReference both = qkv_attention_reference(b.qkv, b.grad_out, b.texts, b.scale, b.dropout);
  return {both.out, both.grad_qkv};
}

TEST(QkvAttention, HasAReferenceThatAgreesWithTheLoopOverQueriesAndKeys) {
  const Batch b = random_batch({5, 0, 17, 1}, 2, 8);
  const Tensor values = testing::in_double(b.qkv);
  const Tensor looped = packed_attention_reference(values.select(1, 0), values.select(1, 1), values.select(1, 2),
                                                   b.texts, {b.scale, {}, 0.0});
  EXPECT_LT(difference(reference(b).out, looped), 1e-14);
}

const std::vector<Lengths> kAwkward = {{},   {0},  {1},   {15},  {16},
                                       {17}, {31}, {33},  {64},  {65},
                                       {80}, {97}, {127}, {128}, {128, 1, 0, 17, 64, 0, 33, 16, 100, 65, 15, 48, 112}};

TEST(QkvAttention, MatchesTheDoubleReferenceAtAwkwardLengths) {
  for (const Lengths& lengths : kAwkward) {
    for (const std::int64_t size : {20, 32}) {
      const Batch batch = random_batch(lengths, 2, size);
      const Both expected = reference(batch);
      for (const Both& got : {through_passes(batch), through_autograd(batch)}) {
        // Sums of up to 128 products in float32, of values near 1.
        EXPECT_LT(difference(got.out, expected.out), 5e-6) << ::testing::PrintToString(lengths);
        EXPECT_LT(difference(got.grad, expected.grad), 2e-5) << ::testing::PrintToString(lengths);
      }
    }
  }
}

TEST(QkvAttention, HasTheGradientOfItsDifferences) {
  const Batch batch = random_batch({5, 0, 9, 1}, 2, 8);
  const Tensor away = torch::randn_like(batch.qkv), grad = through_passes(batch).grad;
  const double step = 1e-2;  // the values are float32
  const auto value = [&](double h) {
    const Tensor moved = batch.qkv + h * away;
    return (qkv_attention(moved, batch.texts, batch.scale) * batch.grad_out).sum().item<double>();
  };
  const double expected = (value(step) - value(-step)) / (2 * step);
  EXPECT_NEAR((grad * away).sum().item<double>(), expected, 1e-3 * (1 + std::abs(expected)));
}

TEST(QkvAttention, GivesContiguousResultsInTheDtypeOfItsInput) {
  const Batch batch = random_batch({5, 9}, 2, 16, torch::kBFloat16);
  const Both got = through_passes(batch), expected = reference(batch);
  EXPECT_EQ(got.out.scalar_type(), torch::kBFloat16);
  EXPECT_EQ(got.grad.scalar_type(), torch::kBFloat16);
  EXPECT_EQ(got.out.sizes(), batch.grad_out.sizes());
  EXPECT_EQ(got.grad.sizes(), batch.qkv.sizes());
  EXPECT_TRUE(got.out.is_contiguous() && got.grad.is_contiguous());
  EXPECT_LT(difference(got.out, expected.out), largest(expected.out) / 256);
  EXPECT_LT(difference(got.grad, expected.grad), largest(expected.grad) / 128);
}

TEST(QkvAttention, RefusesWhatDoesNotFit) {
  Batch batch = random_batch({3, 4}, 2, 8);
  EXPECT_ERROR(qkv_attention(batch.qkv.transpose(2, 3), batch.texts, 1.0), "contiguous");
  EXPECT_ERROR(qkv_attention(batch.qkv.slice(1, 0, 2), batch.texts, 1.0), "must be [tokens, 3, heads, size]");
  EXPECT_ERROR(qkv_attention(batch.qkv, batch.texts, 0.0), "scale is 0");
  EXPECT_ERROR(qkv_attention_backward(batch.grad_out.slice(0, 1), batch.qkv,
                                      qkv_attention_forward(batch.qkv, batch.texts, 1.0), batch.texts, 1.0),
               "like the result");
  batch.texts.offsets = batch.texts.offsets.to(torch::kInt64);
  EXPECT_ERROR(qkv_attention(batch.qkv, batch.texts, 1.0), "int32");
}

/// Inputs, results and what lies between two products are rounded to 8 bits; sums are float32. The largest value of
/// a result is about 4 times its spread, and roundings between products add up like its square root.
void expect_matches(const Batch& batch, const std::string& where) {
  const Both expected = reference(batch);
  std::vector<Both> results = {through_passes(batch)};
  if (batch.dropout.share == 0) results.push_back(through_autograd(batch));
  for (const Both& got : results) {
    EXPECT_EQ(got.out.sizes(), batch.grad_out.sizes());
    EXPECT_EQ(got.grad.sizes(), batch.qkv.sizes());
    EXPECT_TRUE(got.out.is_contiguous() && got.grad.is_contiguous());
    EXPECT_LE(difference(got.out, expected.out), largest(expected.out) / 128) << where;
    for (std::int64_t part = 0; part < 3; ++part) {
      const Tensor exact = expected.grad.select(1, part);
      // A text of one row has no gradient but of its value; what rounding leaves of the others is measured beside that.
      const double spread = std::max(largest(exact), 0.1 * largest(expected.grad));
      EXPECT_LE(difference(got.grad.select(1, part), exact), spread / 64) << where << " of " << part;
    }
  }
}

TEST(QkvAttentionGpu, MatchesTheDoubleReferenceInBFloat16AtEveryLength) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  std::vector<Lengths> all = kAwkward;
  all.emplace_back();
  for (std::int32_t length = 0; length <= 128; ++length) all.back().push_back(length);
  for (const Lengths& lengths : all) {
    for (const std::int64_t size : {32, 64}) {
      expect_matches(random_batch(lengths, 3, size, torch::kBFloat16, torch::kCUDA),
                     ::testing::PrintToString(lengths) + " of " + std::to_string(size));
    }
  }
}

TEST(QkvAttentionGpu, DropsTheWeightsThatItsSeedSays) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  for (const std::int64_t size : {32, 64}) {
    for (const Lengths& lengths : {Lengths{17}, {5, 48, 1, 30}, {96, 70, 3}, {128, 1, 17, 64, 33, 100}}) {
      Batch batch = random_batch(lengths, 3, size, torch::kBFloat16, torch::kCUDA);
      batch.dropout = {0.25, 77};
      expect_matches(batch, ::testing::PrintToString(lengths) + " of " + std::to_string(size));
    }
  }
}

TEST(QkvAttentionGpu, MatchesBeyondItsKernelsThroughOtherOnes) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  const Lengths longer = {129, 3, 300};
  expect_matches(random_batch(longer, 2, 64, torch::kBFloat16, torch::kCUDA), "longer texts");
  expect_matches(random_batch(longer, 2, 64, torch::kHalf, torch::kCUDA), "float16");
  expect_matches(random_batch({5, 40}, 2, 48, torch::kBFloat16, torch::kCUDA), "heads of 48");
  expect_matches(random_batch({5, 40}, 2, 20, torch::kBFloat16, torch::kCUDA), "heads of 20");
  expect_matches(random_batch({5, 40, 0}, 2, 64, torch::kFloat32, torch::kCUDA), "float32");
}

TEST(QkvAttentionGpu, GivesTheSameBitsTwiceAndAloneAsAmongOthers) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  for (const std::int64_t size : {32, 64}) {
    const Batch batch = random_batch({9, 70, 4, 128, 33}, 12, size, torch::kBFloat16, torch::kCUDA);
    const Both one = through_passes(batch), two = through_passes(batch);
    EXPECT_TRUE(torch::equal(one.out, two.out) && torch::equal(one.grad, two.grad));
    Batch alone = random_batch({70}, 12, size, torch::kBFloat16, torch::kCUDA);
    alone.qkv = batch.qkv.slice(0, 9, 79);
    alone.grad_out = batch.grad_out.slice(0, 9, 79);
    const Both third = through_passes(alone);
    EXPECT_TRUE(torch::equal(one.out.slice(0, 9, 79), third.out) && torch::equal(one.grad.slice(0, 9, 79), third.grad));
  }
}

TEST(QkvAttentionGpu, StaysFiniteWhenScoresAreHugeOrFarBelowZero) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  Batch batch = random_batch({33, 70, 5}, 2, 64, torch::kBFloat16, torch::kCUDA);
  batch.qkv.slice(1, 0, 1).mul_(1e3);
  const Both huge = through_passes(batch);
  EXPECT_LE(difference(huge.out, reference(batch).out), largest(huge.out) / 64);
  EXPECT_TRUE(huge.grad.isfinite().all().item<bool>());
  // Every score is about -6,400: what stands past the end of a text, with score 0, would drown them.
  batch.qkv.slice(1, 0, 1).fill_(-100.0);
  batch.qkv.slice(1, 1, 2).fill_(8.0);
  const Both low = through_passes(batch);
  EXPECT_LE(difference(low.out, reference(batch).out), largest(low.out) / 64);
  EXPECT_TRUE(low.grad.isfinite().all().item<bool>());
}

}  // namespace
}  // namespace hasa
