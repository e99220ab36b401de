#include "hasa/nn/frozen_encoder.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/zeros.h>

#include <cmath>

#include "hasa/base/error.h"
#include "hasa/ops/encoder/add_layer_norm.h"
#include "hasa/ops/encoder/embed_layer_norm.h"
#include "hasa/ops/encoder/packed_attention.h"

namespace hasa {
namespace {

using torch::Tensor;

Epilogue epilogue_of(Activation activation) {
  switch (activation) {
    case Activation::gelu: return Epilogue::gelu;
    case Activation::gelu_tanh: return Epilogue::gelu_tanh;
    case Activation::relu: return Epilogue::relu;
  }
  return Epilogue::none;
}

/// Adds texts of one token until the tokens are a multiple of kPackedLinearRows: products of few different
/// shapes are prepared once each.
PackedTokens round_up_tokens(const PackedTokens& tokens) {
  const std::int64_t extra = (kPackedLinearRows - tokens.tokens() % kPackedLinearRows) % kPackedLinearRows;
  if (extra == 0) return tokens;
  PackedTokens padded = tokens;
  padded.ids = at::cat({tokens.ids, at::zeros({extra}, tokens.ids.options())});
  padded.offsets =
      at::cat({tokens.offsets, at::arange(tokens.tokens() + 1, tokens.tokens() + extra + 1, tokens.offsets.options())});
  if (tokens.segments.defined()) {
    padded.segments = at::cat({tokens.segments, at::zeros({extra}, tokens.segments.options())});
  }
  return padded;
}

}  // namespace

FrozenEncoder::FrozenEncoder(const Encoder& encoder) : encoder_(encoder) {
  if (!encoder.device().is_cpu()) return;
  const at::NoGradGuard no_gradients;
  const EncoderWeights& weights = encoder.weights();
  for (const EncoderLayer& layer : weights.layers) {
    layers_.push_back({PackedLinear(layer.qkv_weight, layer.qkv_bias), PackedLinear(layer.out_weight, layer.out_bias),
                       PackedLinear(layer.up_weight, layer.up_bias), PackedLinear(layer.down_weight, layer.down_bias)});
  }
  places_ = weights.segments.defined() ? weights.positions + weights.segments.select(0, 0) : weights.positions;
}

Tensor FrozenEncoder::forward(const PackedTokens& tokens, const Tensor& soft) const {
  const at::NoGradGuard no_gradients;
  if (!encoder_.device().is_cpu() || tokens.tokens() == 0) return encoder_.forward(tokens, /*train=*/false, soft);
  encoder_.check(tokens, soft);
  return forward_cpu(round_up_tokens(tokens), soft).narrow(0, 0, tokens.tokens());
}

Tensor FrozenEncoder::encode(const PackedTokens& tokens, Pooling pooling, const Tensor& soft) const {
  const at::NoGradGuard no_gradients;
  return pool(encoder_, forward(tokens, soft), tokens, pooling);
}

Tensor FrozenEncoder::forward_cpu(const PackedTokens& tokens, const Tensor& soft) const {
  const EncoderConfig& config = encoder_.config();
  const EncoderWeights& weights = encoder_.weights();
  const PackedTexts texts{tokens.offsets, tokens.longest};
  AttentionOptions attention;
  attention.scale = 1.0 / std::sqrt(static_cast<double>(config.head_size()));
  attention.bias = encoder_.relative_bias(tokens.longest);

  Tensor place = at::embedding(places_, positions_in_text(tokens) + config.first_position());
  if (tokens.segments.defined()) {
    HASA_CHECK(weights.segments.defined(), data, "this model has no token types");
    place += at::embedding(weights.segments - weights.segments.select(0, 0), tokens.segments);
  }
  Tensor hidden = add_layer_norm(word_rows(weights.words, soft, tokens.ids), place, weights.norm_weight,
                                 weights.norm_bias, config.layer_norm_eps);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const Layer& linear = layers_[i];
    const EncoderLayer& layer = weights.layers[i];
    const Tensor qkv = linear.qkv(hidden).view({-1, 3, config.heads, config.head_size()});
    const Tensor mixed = packed_attention(qkv.select(1, 0), qkv.select(1, 1), qkv.select(1, 2), texts, attention);
    hidden = add_layer_norm(linear.out(mixed.flatten(1)), hidden, layer.attention_norm_weight,
                            layer.attention_norm_bias, config.layer_norm_eps);
    const Tensor up = linear.up(hidden, epilogue_of(config.activation));
    hidden = add_layer_norm(linear.down(up), hidden, layer.output_norm_weight, layer.output_norm_bias,
                            config.layer_norm_eps);
  }
  return hidden;
}

}  // namespace hasa
