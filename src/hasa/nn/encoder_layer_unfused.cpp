#include <ATen/ops/dropout.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/relu.h>

#include <cmath>

#include "hasa/nn/encoder_layer.h"

namespace hasa {
namespace {

torch::Tensor activated(const torch::Tensor& x, Activation activation) {
  switch (activation) {
    case Activation::gelu: return at::gelu(x);
    case Activation::gelu_tanh: return at::gelu(x, "tanh");
    case Activation::relu: return at::relu(x);
  }
  return x;
}

}  // namespace

torch::Tensor encoder_layer_unfused(const EncoderLayer& layer, const EncoderConfig& config, const torch::Tensor& hidden,
                                    const LayerCall& call) {
  const auto dropped = [](const torch::Tensor& x, const SeededDropout& dropout) {
    return dropout.share > 0 ? at::dropout(x, dropout.share, /*train=*/true) : x;
  };
  AttentionOptions attention;
  attention.scale = 1.0 / std::sqrt(static_cast<double>(config.head_size()));
  attention.bias = call.attention_bias;
  attention.dropout = call.attention.share;
  const torch::Tensor qkv = at::linear(hidden, layer.qkv_weight, layer.qkv_bias);
  const auto parts = qkv.view({-1, 3, config.heads, config.head_size()}).unbind(1);
  const torch::Tensor mixed = packed_attention(parts[0], parts[1], parts[2], call.texts, attention).flatten(1);
  const torch::Tensor attended = dropped(at::linear(mixed, layer.out_weight, layer.out_bias), call.after_attention);
  const torch::Tensor middle = at::layer_norm(hidden + attended, {config.hidden}, layer.attention_norm_weight,
                                              layer.attention_norm_bias, config.layer_norm_eps);
  const torch::Tensor wide = activated(at::linear(middle, layer.up_weight, layer.up_bias), config.activation);
  const torch::Tensor narrow = dropped(at::linear(wide, layer.down_weight, layer.down_bias), call.after_output);
  return at::layer_norm(middle + narrow, {config.hidden}, layer.output_norm_weight, layer.output_norm_bias,
                        config.layer_norm_eps);
}

}  // namespace hasa
