#include "hasa/ops/encoder/packed_attention.h"

#include <ATen/Context.h>
#include <ATen/ops/allclose.h>
#include <torch/csrc/autograd/autograd.h>

#include <numeric>
#include <vector>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

using torch::Tensor;

struct Batch {
  Tensor q, k, v;
  PackedTexts texts;
  AttentionOptions options;
};

/// Queries, keys and values are views of one product, as in the encoder: not contiguous.
Batch random_batch(const std::vector<std::int32_t>& lengths, std::int64_t heads, std::int64_t size,
                   bool with_bias = false) {
  at::manual_seed(7);
  std::vector<std::int32_t> offsets = {0};
  for (const std::int32_t length : lengths) offsets.push_back(offsets.back() + length);
  const Tensor qkv = torch::randn({offsets.back(), 3, heads, size});
  Batch batch{qkv.select(1, 0), qkv.select(1, 1), qkv.select(1, 2), {}, {}};
  batch.texts.offsets = torch::tensor(offsets, torch::kInt32);
  for (const std::int32_t length : lengths) batch.texts.longest = std::max<std::int64_t>(batch.texts.longest, length);
  batch.options.scale = 1.0 / std::sqrt(static_cast<double>(size));
  if (with_bias) batch.options.bias = torch::randn({heads, 2 * (batch.texts.longest + 3) - 1});
  return batch;
}

Tensor attend(const Batch& b) { return packed_attention(b.q, b.k, b.v, b.texts, b.options); }
Tensor reference(const Batch& b) { return packed_attention_reference(b.q, b.k, b.v, b.texts, b.options); }

double difference(const Tensor& a, const Tensor& b) {
  if (a.numel() == 0 && b.sizes() == a.sizes()) return 0;
  return (a.to(torch::kFloat64) - b.to(torch::kFloat64)).abs().max().item<double>();
}

TEST(PackedAttention, MatchesTheDoubleLoopAtAwkwardSizes) {
  const std::vector<std::vector<std::int32_t>> sizes = {{}, {0}, {1}, {31}, {33}, {1025}, {1, 31, 0, 33, 2, 16, 17}};
  for (const auto& lengths : sizes) {
    for (const bool with_bias : {false, true}) {
      const Batch batch = random_batch(lengths, 3, 20, with_bias);
      // Sums of up to 1025 products in float32, of values near 1.
      EXPECT_LT(difference(attend(batch), reference(batch)), 5e-6) << ::testing::PrintToString(lengths);
    }
  }
}

TEST(PackedAttention, MatchesTheDoubleLoopForEveryHeadSize) {
  for (const std::int64_t size : {1, 8, 15, 16, 17, 32, 64, 80, 128}) {
    const Batch batch = random_batch({5, 40, 1}, 2, size);
    EXPECT_LT(difference(attend(batch), reference(batch)), 5e-6) << size;
  }
}

TEST(PackedAttention, ATextGivesTheSameBitsAloneAndAmongOthers) {
  const Batch batch = random_batch({9, 21, 4}, 2, 32);
  const auto only = [](const Tensor& x) { return x.slice(0, 9, 30); };
  const PackedTexts alone{torch::tensor({0, 21}, torch::kInt32), 21};
  EXPECT_TRUE(
      only(attend(batch)).equal(packed_attention(only(batch.q), only(batch.k), only(batch.v), alone, batch.options)));
}

TEST(PackedAttention, StaysFiniteWhenScoresAreHugeOrTied) {
  Batch batch = random_batch({33}, 2, 32);
  batch.q = batch.q * 1e4;
  EXPECT_LT(difference(attend(batch), reference(batch)), 1e-4);
  batch.k = torch::zeros_like(batch.k);
  EXPECT_LT(difference(attend(batch), batch.v.mean(0, true).expand_as(batch.v)), 5e-6);
}

TEST(PackedAttention, InBFloat16OnlyInputsAndOutputsAreRounded) {
  for (const bool with_bias : {false, true}) {
    Batch batch = random_batch({33, 7}, 2, 20, with_bias);
    const auto round = [](const Tensor& x) { return x.to(torch::kBFloat16); };
    batch.q = round(batch.q);
    batch.k = round(batch.k);
    batch.v = round(batch.v);
    // Half a unit in the last place of bfloat16, for values below 4.
    EXPECT_LT(difference(attend(batch), packed_attention_reference(batch.q.to(torch::kFloat32), batch.k, batch.v,
                                                                   batch.texts, batch.options)),
              8.1e-3);
  }
}

TEST(PackedAttention, AcceptsFloat16) {
  Batch batch = random_batch({5, 7}, 2, 16);
  batch.q = batch.q.to(torch::kHalf);
  batch.k = batch.k.to(torch::kHalf);
  batch.v = batch.v.to(torch::kHalf);
  EXPECT_EQ(attend(batch).scalar_type(), torch::kHalf);
  EXPECT_LT(difference(attend(batch), reference(batch)), 2e-3);
}

/// The same attention in tensor operations and double, for its gradient.
Tensor composed(const Batch& b) {
  std::vector<Tensor> parts;
  const std::int64_t texts = b.texts.offsets.size(0) - 1;
  for (std::int64_t t = 0; t < texts; ++t) {
    const auto begin = b.texts.offsets[t].item<std::int64_t>(), end = b.texts.offsets[t + 1].item<std::int64_t>();
    const auto part = [&](const Tensor& x) { return x.slice(0, begin, end).transpose(0, 1).to(torch::kFloat64); };
    Tensor scores = part(b.q).matmul(part(b.k).transpose(1, 2)) * b.options.scale;
    if (b.options.bias.defined()) {
      const Tensor at = torch::arange(end - begin);
      const Tensor distance = at.unsqueeze(0) - at.unsqueeze(1) + b.options.bias.size(1) / 2;
      scores = scores + b.options.bias.index_select(1, distance.flatten()).view_as(scores);
    }
    parts.push_back(scores.softmax(-1).matmul(part(b.v)).transpose(0, 1));
  }
  return torch::cat(parts);
}

TEST(PackedAttention, GradientsMatchThoseOfTensorOperationsInDouble) {
  for (const bool with_bias : {false, true}) {
    Batch batch = random_batch({1, 31, 33, 6}, 3, 20, with_bias);
    std::vector<Tensor> inputs = {batch.q.detach().clone(), batch.k.detach().clone(), batch.v.detach().clone()};
    if (with_bias) inputs.push_back(batch.options.bias);
    for (Tensor& input : inputs) input.set_requires_grad(true);
    batch.q = inputs[0];
    batch.k = inputs[1];
    batch.v = inputs[2];
    const Tensor out = attend(batch);
    const Tensor grad_out = torch::randn_like(out);
    const auto ours = torch::autograd::grad({out}, inputs, {grad_out});
    const auto theirs = torch::autograd::grad({composed(batch)}, inputs, {grad_out.to(torch::kFloat64)});
    for (std::size_t i = 0; i < inputs.size(); ++i) EXPECT_LT(difference(ours[i], theirs[i]), 2e-5) << i;
  }
}

TEST(PackedAttention, WithDropoutKeepsTheMeanAndDropsSomething) {
  Batch batch = random_batch({64, 3}, 4, 16);
  batch.v = torch::ones_like(batch.v);
  batch.options.dropout = 0.25;
  const Tensor out = attend(batch);
  EXPECT_NEAR(out.mean().item<double>(), 1.0, 0.05);
  EXPECT_GT(out.std().item<double>(), 0.01);
}

TEST(PackedAttention, RefusesShapesAndOffsetsThatDoNotFit) {
  Batch batch = random_batch({3, 4}, 2, 8);
  batch.texts.offsets = torch::tensor({0, 3, 8}, torch::kInt32);
  EXPECT_ERROR(attend(batch), "offsets span 0..8 of 7 tokens");
  batch.texts.offsets = torch::tensor({0, 9, 7}, torch::kInt32);
  EXPECT_ERROR(attend(batch), "text 0 has 9 tokens, longest is 4");
  batch = random_batch({3, 4}, 2, 8);
  batch.options.bias = torch::zeros({2, 5});
  EXPECT_ERROR(attend(batch), "bias must be [2, 2 span - 1] with span >= 4");
  batch = random_batch({3, 4}, 2, 8);
  batch.k = batch.k.slice(0, 0, 6);
  EXPECT_ERROR(attend(batch), "alike");
}

Batch to_gpu(const Batch& b, torch::Dtype dtype) {
  const auto move = [&](const Tensor& x) { return x.defined() ? x.to(torch::kCUDA, dtype) : x; };
  Batch batch = b;
  batch.q = move(b.q);
  batch.k = move(b.k);
  batch.v = move(b.v);
  batch.options.bias = move(b.options.bias);
  batch.texts.offsets = b.texts.offsets.to(torch::kCUDA);
  return batch;
}

TEST(PackedAttentionGpu, MatchesTheDoubleLoopWithAndWithoutBias) {
  if (!at::globalContext().hasCUDA()) GTEST_SKIP() << "no GPU";
  for (const auto& lengths : std::vector<std::vector<std::int32_t>>{{1}, {31}, {33}, {1025}, {1, 31, 33, 2, 16}}) {
    for (const bool with_bias : {false, true}) {
      const Batch batch = random_batch(lengths, 3, 32, with_bias);
      EXPECT_LT(difference(attend(to_gpu(batch, torch::kFloat32)).cpu(), reference(batch)), 2e-5);
      // bfloat16 holds 8 bits: inputs, weights and outputs of about 1 are each off by up to 2^-8.
      EXPECT_LT(difference(attend(to_gpu(batch, torch::kBFloat16)).cpu(), reference(batch)), 5e-2);
    }
  }
}

TEST(PackedAttentionGpu, GradientsMatchTheCpu) {
  if (!at::globalContext().hasCUDA()) GTEST_SKIP() << "no GPU";
  for (const torch::Dtype dtype : {torch::kFloat32, torch::kBFloat16}) {
    const Batch cpu = random_batch({1, 31, 33, 6}, 3, 32);
    const Batch gpu = to_gpu(cpu, dtype);
    const auto gradients = [](Batch b) {
      b.q = b.q.detach().clone();
      b.k = b.k.detach().clone();
      b.v = b.v.detach().clone();
      const std::vector<Tensor> inputs = {b.q.set_requires_grad(true), b.k.set_requires_grad(true),
                                          b.v.set_requires_grad(true)};
      const Tensor out = attend(b);
      return torch::autograd::grad({out}, inputs, {torch::ones_like(out) * 0.5});
    };
    const auto ours = gradients(gpu), theirs = gradients(cpu);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_LT(difference(ours[i].cpu(), theirs[i]), dtype == torch::kFloat32 ? 2e-5 : 5e-2) << i;
    }
  }
}

}  // namespace
}  // namespace hasa
