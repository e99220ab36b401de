#include "hasa/ops/encoder/embed_layer_norm.h"

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
const SeededDropout kDropout{0.1, 99};

/// words, positions, segments, weight, bias.
Tensors random_inputs(std::int64_t width, torch::Dtype dtype = torch::kFloat32,
                      torch::Dtype parameters = torch::kFloat32, const torch::Device& device = torch::kCPU) {
  torch::manual_seed(8);
  const auto random = [&](at::IntArrayRef shape, torch::Dtype type) { return torch::randn(shape).to(device, type); };
  return {random({50, width}, dtype), random({20, width}, dtype), random({2, width}, dtype),
          random({width}, parameters), random({width}, parameters)};
}
EmbeddingIds random_ids(std::int64_t tokens, bool segments, const torch::Device& device = torch::kCPU) {
  torch::manual_seed(9);
  const auto ids = [&](std::int64_t bound) { return torch::randint(bound, {tokens}, torch::kInt64).to(device); };
  EmbeddingIds all{ids(50), ids(20), segments ? ids(2) : Tensor()};
  all.words.slice(0, 0, tokens / 3).fill_(1);  // a word of every text
  return all;
}
EmbeddingIds on_cpu(const EmbeddingIds& ids) {
  return {ids.words.cpu(), ids.positions.cpu(), ids.segments.defined() ? ids.segments.cpu() : Tensor()};
}
testing::Operation with(const EmbeddingIds& ids, const SeededDropout& dropout) {
  return [=](const Tensors& t) { return embed_layer_norm({t[0], t[1], t[2]}, ids, t[3], t[4], kEps, dropout); };
}
Tensor reference(const Tensors& t, const EmbeddingIds& ids, const SeededDropout& dropout) {
  return embed_layer_norm_reference({t[0], t[1], t[2]}, ids, t[3], t[4], kEps, dropout);
}

TEST(EmbedLayerNorm, MatchesTheDoubleLoopAtAwkwardSizes) {
  for (const std::int64_t tokens : {0, 1, 31, 33, 1025}) {
    for (const std::int64_t width : {16, 33}) {
      const Tensors t = random_inputs(width);
      const EmbeddingIds ids = random_ids(tokens, tokens % 2 == 0);
      EXPECT_LT(difference(with(ids, kDropout)(t), reference(t, ids, kDropout)), 2e-5);
    }
  }
  const Tensors t = random_inputs(16);
  const EmbeddingIds ids = random_ids(5, false);
  EXPECT_LT(difference(embed_layer_norm({t[0], t[1], {}}, ids, t[3], t[4], kEps),
                       embed_layer_norm_reference({t[0], t[1], {}}, ids, t[3], t[4], kEps)),
            2e-5);
}

TEST(EmbedLayerNorm, HasTheGradientsOfItsDifferencesInDouble) {
  for (const bool segments : {false, true}) {
    EXPECT_LT(testing::gradient_error(with(random_ids(70, segments), kDropout), testing::doubles(random_inputs(24))),
              1e-6);
  }
}

/// Inputs with a sixth tensor, rows of soft tokens.
Tensors with_soft_rows(Tensors inputs, std::int64_t rows) {
  torch::manual_seed(10);
  inputs.push_back(torch::randn({rows, inputs[0].size(1)}).to(inputs[0].device(), inputs[0].scalar_type()));
  return inputs;
}
/// Every third token is soft; the rows are in no order, and some stand at several places.
EmbeddingIds some_soft(EmbeddingIds ids, std::int64_t rows) {
  torch::manual_seed(11);
  const Tensor places = torch::arange(0, ids.words.size(0), 3).to(ids.words.device());
  ids.words.index_copy_(0, places, -1 - torch::randint(rows, {places.size(0)}, torch::kInt64).to(places.device()));
  return ids;
}
testing::Operation with_soft(const EmbeddingIds& ids) {
  return [=](const Tensors& t) { return embed_layer_norm({t[0], t[1], t[2], t[5]}, ids, t[3], t[4], kEps, kDropout); };
}

TEST(EmbedLayerNorm, ReadsSoftTokensInThePlaceOfWordsAtAwkwardSizes) {
  for (const std::int64_t tokens : {0, 1, 31, 33, 1025}) {
    const Tensors t = with_soft_rows(random_inputs(16), 40);
    const EmbeddingIds ids = some_soft(random_ids(tokens, tokens % 2 == 0), 40);
    const Tensor expected = embed_layer_norm_reference({t[0], t[1], t[2], t[5]}, ids, t[3], t[4], kEps, kDropout);
    EXPECT_LT(difference(with_soft(ids)(t), expected), 2e-5);
  }
}

TEST(EmbedLayerNorm, ASoftTokenWithTheRowOfAWordIsThatWord) {
  const Tensors t = random_inputs(16);
  const EmbeddingIds ids = random_ids(60, true);
  EmbeddingIds soft = ids;
  soft.words = -1 - ids.words;
  EXPECT_TRUE(torch::equal(embed_layer_norm({t[0], t[1], t[2], t[0]}, soft, t[3], t[4], kEps, kDropout),
                           with(ids, kDropout)(t)));
}

TEST(EmbedLayerNorm, HasTheGradientsOfItsDifferencesInSoftTokensToo) {
  const Tensors t = testing::doubles(with_soft_rows(random_inputs(24), 9));
  EXPECT_LT(testing::gradient_error(with_soft(some_soft(random_ids(70, true), 9)), t), 1e-6);
}

TEST(EmbedLayerNorm, RefusesWhatDoesNotFit) {
  const Tensors t = random_inputs(16);
  const EmbeddingIds ids = random_ids(5, true);
  EXPECT_ERROR(embed_layer_norm({t[0], t[1], {}}, ids, t[3], t[4], kEps), "no token types");
  EXPECT_ERROR(embed_layer_norm({t[0], t[1].slice(1, 1), {}}, ids, t[3], t[4], kEps), "of one width");
  EXPECT_ERROR(embed_layer_norm({t[0], t[1], t[2]}, {ids.words, ids.positions.slice(0, 1), {}}, t[3], t[4], kEps),
               "must be [tokens]");
}

void expect_matches(const Tensors& t, const EmbeddingIds& ids, double out_share, double grad_share) {
  const Passed ours = testing::pass(with(ids, kDropout), t);
  const Passed exact = testing::pass(with(on_cpu(ids), kDropout), testing::doubles(t));
  const std::string where = std::to_string(ids.words.size(0)) + " x " + std::to_string(t[0].size(1));
  EXPECT_LE(difference(ours.out, exact.out), out_share * largest(exact.out)) << where;
  for (std::size_t i = 0; i < t.size(); ++i) {
    EXPECT_EQ(ours.grads[i].scalar_type(), t[i].scalar_type());
    EXPECT_LE(difference(ours.grads[i], exact.grads[i]), grad_share * largest(exact.grads[i])) << where << " of " << i;
  }
}

TEST(EmbedLayerNormGpu, MatchesTheReference) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  for (const std::int64_t width : {8, 33, 264, 384, 768, 4096}) {
    for (const std::int64_t tokens : {0, 1, 31, 33, 1025, 9001}) {
      if (tokens == 9001 && width != 384) continue;  // more rows than blocks: each takes several turns
      const EmbeddingIds ids = random_ids(tokens, tokens % 2 == 0, torch::kCUDA);
      // Sums of up to 4096 terms in float32; a row of 8 may have a small spread to divide by.
      expect_matches(random_inputs(width, torch::kFloat32, torch::kFloat32, torch::kCUDA), ids, 3e-5, 1e-4);
      if (width % 8 != 0) continue;
      // Values are rounded once, to 8 bits; gradients of tables are sums of gradients so rounded.
      expect_matches(random_inputs(width, torch::kBFloat16, torch::kBFloat16, torch::kCUDA), ids, 1.0 / 256, 0.01);
      expect_matches(random_inputs(width, torch::kBFloat16, torch::kFloat32, torch::kCUDA), ids, 1.0 / 256, 0.01);
    }
  }
}

TEST(EmbedLayerNormGpu, MatchesTheReferenceWithSoftTokens) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  for (const std::int64_t tokens : {1, 33, 9001}) {
    for (const torch::Dtype type : {torch::kFloat32, torch::kBFloat16}) {
      // More soft rows than fit into 16 bits: what sorts ids must not mistake them.
      const Tensors t = with_soft_rows(random_inputs(384, type, type, torch::kCUDA), 40000);
      const EmbeddingIds ids = some_soft(random_ids(tokens, true, torch::kCUDA), 40000);
      const Passed ours = testing::pass(with_soft(ids), t);
      const Passed exact = testing::pass(with_soft(on_cpu(ids)), testing::doubles(t));
      const bool exactly = type == torch::kFloat32;
      EXPECT_LE(difference(ours.out, exact.out), (exactly ? 3e-5 : 1.0 / 256) * largest(exact.out)) << tokens;
      for (std::size_t i = 0; i < t.size(); ++i) {
        EXPECT_LE(difference(ours.grads[i], exact.grads[i]), (exactly ? 1e-4 : 0.01) * largest(exact.grads[i]))
            << tokens << " of " << i;
      }
    }
  }
}

TEST(EmbedLayerNormGpu, ComesOutTheSameTwiceAndWithoutGradients) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  const Tensors t = random_inputs(768, torch::kBFloat16, torch::kBFloat16, torch::kCUDA);
  const EmbeddingIds ids = random_ids(9001, true, torch::kCUDA);
  const Passed one = testing::pass(with(ids, kDropout), t), two = testing::pass(with(ids, kDropout), t);
  EXPECT_TRUE(torch::equal(one.out, two.out));
  EXPECT_TRUE(torch::equal(one.out, with(ids, kDropout)(t)));
  for (std::size_t i = 0; i < t.size(); ++i) EXPECT_TRUE(torch::equal(one.grads[i], two.grads[i])) << i;
}

}  // namespace
}  // namespace hasa
