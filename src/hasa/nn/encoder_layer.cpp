#include "hasa/nn/encoder_layer.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/relu.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cmath>
#include <string>

#include "hasa/base/error.h"
#include "hasa/ops/bias_gelu.h"
#include "hasa/ops/dropout_add_layer_norm.h"
#include "hasa/ops/qkv_attention.h"

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

/// The order of a layer's tensors among the inputs of the function below, hidden being the first.
struct Input {
  enum : std::size_t {
    hidden,
    qkv_weight,
    qkv_bias,
    out_weight,
    out_bias,
    norm1_weight,
    norm1_bias,
    up_weight,
    up_bias,
    down_weight,
    down_bias,
    norm2_weight,
    norm2_bias,
    count
  };
};

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
}
SeededDropout saved_dropout(AutogradContext* ctx, const std::string& name) {
  return {ctx->saved_data[name + " share"].toDouble(),
          static_cast<std::uint64_t>(ctx->saved_data[name + " seed"].toInt())};
}

class WholeLayer : public torch::autograd::Function<WholeLayer> {
 public:
  static Tensor forward(AutogradContext* ctx, const Tensor& hidden, const Tensor& qkv_weight, const Tensor& qkv_bias,
                        const Tensor& out_weight, const Tensor& out_bias, const Tensor& norm1_weight,
                        const Tensor& norm1_bias, const Tensor& up_weight, const Tensor& up_bias,
                        const Tensor& down_weight, const Tensor& down_bias, const Tensor& norm2_weight,
                        const Tensor& norm2_bias, const Tensor& offsets, const Shape& shape, bool keep) {
    const Tensor qkv = at::linear(hidden, qkv_weight, qkv_bias).view({-1, 3, shape.heads, shape.size});
    const QkvAttention mixed = qkv_attention_forward(qkv, {offsets, shape.longest}, shape.scale, shape.attention);
    const NormedSum first =
        dropout_add_layer_norm_forward(at::mm(mixed.out.flatten(1), out_weight.t()), out_bias, hidden, norm1_weight,
                                       norm1_bias, shape.eps, shape.first, keep);
    const Tensor wide = at::mm(first.out, up_weight.t());
    const Tensor active = bias_gelu_forward(wide, up_bias);
    const NormedSum second = dropout_add_layer_norm_forward(at::mm(active, down_weight.t()), down_bias, first.out,
                                                            norm2_weight, norm2_bias, shape.eps, shape.second, keep);
    if (keep) {
      ctx->save_for_backward({hidden,
                              qkv_weight,
                              out_weight,
                              norm1_weight,
                              norm1_bias,
                              up_weight,
                              up_bias,
                              down_weight,
                              norm2_weight,
                              norm2_bias,
                              offsets,
                              qkv,
                              mixed.out,
                              mixed.lse,
                              first.out,
                              first.sum,
                              first.mean,
                              first.inverse_std,
                              wide,
                              active,
                              second.out,
                              second.sum,
                              second.mean,
                              second.inverse_std,
                              mixed.random_state,
                              mixed.unused});
      ctx->saved_data["longest"] = shape.longest;
      ctx->saved_data["scale"] = shape.scale;
      save_dropout(ctx, "attention", shape.attention);
      save_dropout(ctx, "first", shape.first);
      save_dropout(ctx, "second", shape.second);
    }
    return second.out;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list s = ctx->get_saved_variables();
    const Tensor &hidden = s[0], &qkv_weight = s[1], &out_weight = s[2], &up_weight = s[5], &down_weight = s[7];
    const PackedTexts texts{s[10], ctx->saved_data["longest"].toInt()};
    const Tensor &mixed = s[12], &middle = s[14], &wide = s[18], &active = s[19];
    variable_list out(Input::count + 3);

    const auto second = dropout_add_layer_norm_backward(grads[0].contiguous(), {s[20], s[21], s[22], s[23]}, s[8], s[9],
                                                        saved_dropout(ctx, "second"), /*linear_bias_grad=*/true);
    out[Input::norm2_weight] = second.weight;
    out[Input::norm2_bias] = second.bias;
    out[Input::down_bias] = second.linear_bias;
    out[Input::down_weight] = at::mm(second.x.t(), active);
    const BiasGeluGrads gelu = bias_gelu_backward(at::mm(second.x, down_weight), wide, s[6]);
    out[Input::up_bias] = gelu.bias;
    out[Input::up_weight] = at::mm(gelu.x.t(), middle);
    // The residual's gradient is complete once the product has been added to it.
    const Tensor middle_grad = second.residual.addmm_(gelu.x, up_weight);

    const auto first = dropout_add_layer_norm_backward(middle_grad, {s[14], s[15], s[16], s[17]}, s[3], s[4],
                                                       saved_dropout(ctx, "first"), /*linear_bias_grad=*/true);
    out[Input::norm1_weight] = first.weight;
    out[Input::norm1_bias] = first.bias;
    out[Input::out_bias] = first.linear_bias;
    out[Input::out_weight] = at::mm(first.x.t(), mixed.flatten(1));
    const Tensor mixed_grad = at::mm(first.x, out_weight).view_as(mixed);
    const Tensor qkv_grad = qkv_attention_backward(mixed_grad, s[11], {mixed, s[13], s[24], s[25]}, texts,
                                                   ctx->saved_data["scale"].toDouble(), saved_dropout(ctx, "attention"))
                                .flatten(1);
    out[Input::qkv_bias] = qkv_grad.sum(0);
    out[Input::qkv_weight] = at::mm(qkv_grad.t(), hidden);
    if (ctx->needs_input_grad(Input::hidden)) out[Input::hidden] = first.residual.addmm_(qkv_grad, qkv_weight);
    return out;
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
  return WholeLayer::apply(hidden, layer.qkv_weight, layer.qkv_bias, layer.out_weight, layer.out_bias,
                           layer.attention_norm_weight, layer.attention_norm_bias, layer.up_weight, layer.up_bias,
                           layer.down_weight, layer.down_bias, layer.output_norm_weight, layer.output_norm_bias,
                           call.texts.offsets, shape, at::GradMode::is_enabled());
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
