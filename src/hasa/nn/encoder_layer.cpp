#include "hasa/nn/encoder_layer.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/relu.h>
#include <torch/csrc/autograd/custom_function.h>

#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "hasa/base/error.h"
#include "hasa/ops/encoder/bias_gelu.h"
#include "hasa/ops/encoder/dropout_add_layer_norm.h"
#include "hasa/ops/encoder/qkv_attention.h"

namespace hasa {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

double attention_scale(const EncoderConfig& config) { return 1.0 / std::sqrt(static_cast<double>(config.head_size())); }

/// activation(hidden weightᵀ + bias)
Tensor widen(const EncoderLayer& layer, const EncoderConfig& config, const Tensor& hidden) {
  if (config.activation == Activation::gelu) return bias_gelu(at::linear(hidden, layer.up_weight), layer.up_bias);
  const Tensor wide = at::linear(hidden, layer.up_weight, layer.up_bias);
  return config.activation == Activation::relu ? at::relu(wide) : at::gelu(wide, "tanh");
}

/// A layer's tensors in the order in which autograd sees them, behind the hidden states.
constexpr std::array kLayerTensors = {&EncoderLayer::qkv_weight,
                                      &EncoderLayer::qkv_bias,
                                      &EncoderLayer::out_weight,
                                      &EncoderLayer::out_bias,
                                      &EncoderLayer::attention_norm_weight,
                                      &EncoderLayer::attention_norm_bias,
                                      &EncoderLayer::up_weight,
                                      &EncoderLayer::up_bias,
                                      &EncoderLayer::down_weight,
                                      &EncoderLayer::down_bias,
                                      &EncoderLayer::output_norm_weight,
                                      &EncoderLayer::output_norm_bias};
constexpr std::size_t kHidden = 0;  // place of the hidden states among the inputs

variable_list inputs_of(const Tensor& hidden, const EncoderLayer& layer) {
  variable_list inputs{hidden};
  for (const auto tensor : kLayerTensors) inputs.push_back(layer.*tensor);
  return inputs;
}
EncoderLayer layer_of(at::TensorList inputs) {
  EncoderLayer layer;
  std::size_t place = kHidden + 1;
  for (const auto tensor : kLayerTensors) layer.*tensor = inputs[place++];
  return layer;
}

/// What the two passes share beside tensors.
struct Shape {
  std::int64_t heads, size, longest;
  double scale, eps;
  SeededDropout attention, first, second;
};

void save_dropout(AutogradContext* ctx, const std::string& name, const SeededDropout& dropout) {
  HASA_ASSERT(!dropout.step.defined());
  ctx->saved_data[name + " share"] = dropout.share;
  ctx->saved_data[name + " seed"] = static_cast<std::int64_t>(dropout.seed);
  ctx->saved_data[name + " first"] = dropout.first;
}
SeededDropout saved_dropout(AutogradContext* ctx, const std::string& name) {
  return {ctx->saved_data[name + " share"].toDouble(),
          static_cast<std::uint64_t>(ctx->saved_data[name + " seed"].toInt()),
          {},
          ctx->saved_data[name + " first"].toInt()};
}

void save_shape(AutogradContext* ctx, const Shape& shape) {
  ctx->saved_data["longest"] = shape.longest;
  ctx->saved_data["scale"] = shape.scale;
  save_dropout(ctx, "attention", shape.attention);
  save_dropout(ctx, "first", shape.first);
  save_dropout(ctx, "second", shape.second);
}

/// What the forward pass keeps for the backward pass.
struct Kept {
  Tensor hidden, offsets;
  EncoderLayer layer;
  Tensor qkv;           // [tokens, 3, heads, size]
  QkvAttention mixed;   // what attention mixed of the values
  NormedSum middle;     // after the attention
  Tensor wide, active;  // [tokens, intermediate] before and after the activation
  NormedSum result;

  /// The same order for saving and for reading.
  template <class Visit>
  void each(const Visit& visit) {
    for (Tensor* tensor : {&hidden, &offsets, &qkv, &wide, &active}) visit(*tensor);
    for (const auto tensor : kLayerTensors) visit(layer.*tensor);
    for (Tensor* tensor : {&mixed.out, &mixed.lse, &mixed.random_state, &mixed.unused}) visit(*tensor);
    for (NormedSum* norm : {&middle, &result}) {
      for (Tensor* tensor : {&norm->out, &norm->sum, &norm->mean, &norm->inverse_std}) visit(*tensor);
    }
  }
  void save(AutogradContext* ctx) {
    variable_list all;
    each([&](const Tensor& tensor) { all.push_back(tensor); });
    ctx->save_for_backward(std::move(all));
  }
  static Kept saved(AutogradContext* ctx) {
    const variable_list all = ctx->get_saved_variables();
    Kept kept;
    auto next = all.begin();
    kept.each([&](Tensor& tensor) { tensor = *next++; });
    return kept;
  }
};

class WholeLayer : public torch::autograd::Function<WholeLayer> {
 public:
  /// inputs: of inputs_of().
  static Tensor forward(AutogradContext* ctx, at::TensorList inputs, const Tensor& offsets, const Shape& shape,
                        bool keep) {
    const Tensor& hidden = inputs[kHidden];
    const EncoderLayer layer = layer_of(inputs);
    const Tensor qkv = at::linear(hidden, layer.qkv_weight, layer.qkv_bias).view({-1, 3, shape.heads, shape.size});
    const QkvAttention mixed = qkv_attention_forward(qkv, {offsets, shape.longest}, shape.scale, shape.attention);
    const NormedSum middle = dropout_add_layer_norm_forward(at::mm(mixed.out.flatten(1), layer.out_weight.t()),
                                                            layer.out_bias, hidden, layer.attention_norm_weight,
                                                            layer.attention_norm_bias, shape.eps, shape.first, keep);
    const Tensor wide = at::mm(middle.out, layer.up_weight.t());
    const Tensor active = bias_gelu_forward(wide, layer.up_bias);
    const NormedSum result =
        dropout_add_layer_norm_forward(at::mm(active, layer.down_weight.t()), layer.down_bias, middle.out,
                                       layer.output_norm_weight, layer.output_norm_bias, shape.eps, shape.second, keep);
    if (keep) {
      Kept{hidden, offsets, layer, qkv, mixed, middle, wide, active, result}.save(ctx);
      save_shape(ctx, shape);
    }
    return result.out;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const Kept kept = Kept::saved(ctx);
    const EncoderLayer& layer = kept.layer;
    EncoderLayer grad;

    const auto result = dropout_add_layer_norm_backward(grads[0].contiguous(), kept.result, layer.output_norm_weight,
                                                        layer.output_norm_bias, saved_dropout(ctx, "second"),
                                                        /*linear_bias_grad=*/true);
    grad.output_norm_weight = result.weight;
    grad.output_norm_bias = result.bias;
    grad.down_bias = result.linear_bias;
    grad.down_weight = at::mm(result.x.t(), kept.active);
    const BiasGeluGrads gelu = bias_gelu_backward(at::mm(result.x, layer.down_weight), kept.wide, layer.up_bias);
    grad.up_bias = gelu.bias;
    grad.up_weight = at::mm(gelu.x.t(), kept.middle.out);
    // The residual's gradient is complete once the product has been added to it.
    const Tensor middle_grad = result.residual.addmm_(gelu.x, layer.up_weight);

    const auto middle = dropout_add_layer_norm_backward(middle_grad, kept.middle, layer.attention_norm_weight,
                                                        layer.attention_norm_bias, saved_dropout(ctx, "first"),
                                                        /*linear_bias_grad=*/true);
    grad.attention_norm_weight = middle.weight;
    grad.attention_norm_bias = middle.bias;
    grad.out_bias = middle.linear_bias;
    grad.out_weight = at::mm(middle.x.t(), kept.mixed.out.flatten(1));
    const Tensor mixed_grad = at::mm(middle.x, layer.out_weight).view_as(kept.mixed.out);
    const PackedTexts texts{kept.offsets, ctx->saved_data["longest"].toInt()};
    const Tensor qkv_grad = qkv_attention_backward(mixed_grad, kept.qkv, kept.mixed, texts,
                                                   ctx->saved_data["scale"].toDouble(), saved_dropout(ctx, "attention"))
                                .flatten(1);
    grad.qkv_bias = qkv_grad.sum(0);
    grad.qkv_weight = at::mm(qkv_grad.t(), kept.hidden);
    const bool on = ctx->needs_input_grad(kHidden);
    variable_list all = inputs_of(on ? middle.residual.addmm_(qkv_grad, layer.qkv_weight) : Tensor(), grad);
    all.resize(all.size() + 3);  // none for offsets, shape and keep
    return all;
  }
};

}  // namespace

Tensor encoder_layer(const EncoderLayer& layer, const EncoderConfig& config, const Tensor& hidden,
                     const LayerCall& call) {
  const bool plain =
      !call.attention_bias.defined() &&
      (call.attention.share == 0 || qkv_attention_has_kernel(hidden, config.head_size(), call.texts.longest));
  if (!plain || config.activation != Activation::gelu || hidden.size(0) == 0) {
    return encoder_layer_from_parts(layer, config, hidden, call);
  }
  const Shape shape{config.heads,          config.head_size(), call.texts.longest,   attention_scale(config),
                    config.layer_norm_eps, call.attention,     call.after_attention, call.after_output};
  const variable_list inputs = inputs_of(hidden, layer);
  return WholeLayer::apply(at::TensorList(inputs), call.texts.offsets, shape, at::GradMode::is_enabled());
}

Tensor encoder_layer_from_parts(const EncoderLayer& layer, const EncoderConfig& config, const Tensor& hidden,
                                const LayerCall& call) {
  AttentionOptions attention;
  attention.scale = attention_scale(config);
  attention.bias = call.attention_bias;
  attention.dropout = call.attention.share;
  const Tensor qkv = at::linear(hidden, layer.qkv_weight, layer.qkv_bias);
  const auto parts = qkv.view({-1, 3, config.heads, config.head_size()}).unbind(1);
  const Tensor mixed = packed_attention(parts[0], parts[1], parts[2], call.texts, attention).flatten(1);
  const Tensor middle =
      dropout_add_layer_norm(at::linear(mixed, layer.out_weight), layer.out_bias, hidden, layer.attention_norm_weight,
                             layer.attention_norm_bias, config.layer_norm_eps, call.after_attention);
  return dropout_add_layer_norm(at::linear(widen(layer, config, middle), layer.down_weight), layer.down_bias, middle,
                                layer.output_norm_weight, layer.output_norm_bias, config.layer_norm_eps,
                                call.after_output);
}

}  // namespace hasa
