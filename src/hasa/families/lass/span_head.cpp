#include "hasa/families/lass/span_head.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>

#include <cmath>

#include "hasa/base/error.h"
#include "hasa/ops/encoder/packed_mean.h"

namespace hasa {

torch::Tensor span_means(const torch::Tensor& hidden, const PackedTokens& texts) {
  HASA_CHECK(texts.spans.defined(), shape, "span_means: the texts have no spans");
  const std::int64_t places = texts.spans.size(1);
  // The tokens are split into gaps and parts, alternating, and the rest.
  const auto place = [&](std::int64_t at) { return at::full({1}, at, texts.spans.options()); };
  const torch::Tensor bounds = at::cat({place(0), texts.spans.flatten(), place(texts.tokens())});
  const torch::Tensor means = packed_mean(hidden, {bounds, texts.longest});
  return means.narrow(0, 0, texts.texts() * places)
      .view({texts.texts(), places, hidden.size(1)})
      .slice(1, 1, places, 2);
}

SpanHead::SpanHead(const LassModelConfig& config)
    : bias_(config.bias), log_scale_(torch::tensor(static_cast<float>(std::log(config.scale))).requires_grad_()) {}

torch::Tensor SpanHead::logits(const Encoder&, const torch::Tensor& hidden, const PackedTokens& triples,
                               bool /*training*/) const {
  const torch::Tensor parts = span_means(hidden, triples);  // [triples, 3, hidden]
  const torch::Tensor off = parts.select(1, 0) + parts.select(1, 1) - parts.select(1, 2);
  return bias_ - log_scale_.exp() / 2 * off.square().sum(1);
}

}  // namespace hasa
