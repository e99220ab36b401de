#include "hasa/nn/pooling.h"

#include <ATen/ops/linear.h>
#include <ATen/ops/tanh.h>

#include "hasa/base/error.h"
#include "hasa/ops/encoder/packed_mean.h"

namespace hasa {

Pooling parse_pooling(std::string_view name) {
  for (const Pooling pooling : {Pooling::mean, Pooling::cls, Pooling::pooler}) {
    if (name == to_string(pooling)) return pooling;
  }
  fail(ErrorKind::config, "unknown pooling \"{}\"; expected mean, cls or pooler", name);
}

const char* to_string(Pooling pooling) {
  switch (pooling) {
    case Pooling::mean: return "mean";
    case Pooling::cls: return "cls";
    case Pooling::pooler: return "pooler";
  }
  return "";
}

void check_pooling(const Encoder& encoder, Pooling pooling) {
  HASA_CHECK(pooling != Pooling::pooler || encoder.weights().pooler_weight.defined(), data,
             "the model has no pooler layer\n       use mean or cls pooling");
}

torch::Tensor pool(const Encoder& encoder, const torch::Tensor& hidden, const PackedTokens& tokens, Pooling pooling) {
  check_pooling(encoder, pooling);
  if (pooling == Pooling::mean) return packed_mean(hidden, {tokens.offsets, tokens.longest});
  torch::Tensor first = hidden.index_select(0, tokens.offsets.slice(0, 0, -1));
  if (pooling == Pooling::cls) return first.to(torch::kFloat32);
  return at::tanh(at::linear(first, encoder.weights().pooler_weight, encoder.weights().pooler_bias))
      .to(torch::kFloat32);
}

}  // namespace hasa
