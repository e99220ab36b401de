#include "hasa/ops/encoder/packed_attention.h"

#include <ATen/ops/_flash_attention_forward.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/searchsorted.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include <optional>
#include <tuple>

#include "hasa/base/error.h"
#include "hasa/ops/core/cpu_vector.h"
#include "hasa/ops/encoder/packed_attention_cpu.h"

namespace hasa {
namespace {

using torch::Tensor;

void check(const Tensor& q, const Tensor& k, const Tensor& v, const PackedTexts& texts,
           const AttentionOptions& options) {
  HASA_CHECK(q.dim() == 3 && k.sizes() == q.sizes() && v.sizes() == q.sizes(), shape,
             "packed_attention: q, k and v must be [tokens, heads, head_size] alike, got ranks {}, {}, {}", q.dim(),
             k.dim(), v.dim());
  HASA_CHECK(k.scalar_type() == q.scalar_type() && v.scalar_type() == q.scalar_type(), shape,
             "packed_attention: q, k and v have different dtypes");
  HASA_CHECK(q.stride(2) == 1 && k.stride(2) == 1 && v.stride(2) == 1, shape,
             "packed_attention: the last dimension of q, k and v must be contiguous");
  HASA_CHECK(texts.offsets.dim() == 1 && texts.offsets.size(0) >= 1 && texts.offsets.scalar_type() == torch::kInt32 &&
                 texts.offsets.is_contiguous() && texts.offsets.device() == q.device(),
             shape, "packed_attention: offsets must be a contiguous int32 vector on the device of q");
  if (options.bias.defined()) {
    HASA_CHECK(options.bias.dim() == 2 && options.bias.size(0) == q.size(1) && options.bias.size(1) % 2 == 1 &&
                   (options.bias.size(1) + 1) / 2 >= texts.longest,
               shape, "packed_attention: bias must be [{}, 2 span - 1] with span >= {}", q.size(1), texts.longest);
  }
}

/// Offsets in host memory are verified: a wrong one would read past the end.
void check_offsets(const PackedTexts& texts, std::int64_t tokens) {
  const auto* offsets = texts.offsets.const_data_ptr<std::int32_t>();
  const std::int64_t count = texts.offsets.size(0) - 1;
  HASA_CHECK(offsets[0] == 0 && offsets[count] == tokens, shape, "packed_attention: offsets span {}..{} of {} tokens",
             offsets[0], offsets[count], tokens);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t length = offsets[i + 1] - offsets[i];
    HASA_CHECK(length >= 0 && length <= texts.longest, shape, "packed_attention: text {} has {} tokens, longest is {}",
               i, length, texts.longest);
  }
}

template <class Element>
AttentionInputs<Element> inputs_of(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& bias,
                                   const PackedTexts& texts, double scale) {
  const auto view = [](const Tensor& x) {
    return AttentionView<Element>{static_cast<const Element*>(x.const_data_ptr()), x.stride(0), x.stride(1)};
  };
  AttentionInputs<Element> in{view(q), view(k), view(v)};
  in.offsets = texts.offsets.const_data_ptr<std::int32_t>();
  in.texts = texts.offsets.size(0) - 1;
  in.heads = q.size(1);
  in.head_size = q.size(2);
  in.longest = texts.longest;
  in.scale = static_cast<float>(scale);
  if (bias.defined()) {
    in.bias = bias.const_data_ptr<float>();
    in.span = (bias.size(1) + 1) / 2;
  }
  return in;
}

Tensor float_bias(const Tensor& bias) { return bias.defined() ? bias.to(torch::kFloat32).contiguous() : bias; }

Tensor forward_cpu(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& bias, const PackedTexts& texts,
                   double scale) {
  const Tensor bias32 = float_bias(bias);
  if (q.scalar_type() == torch::kFloat32) {
    Tensor out = at::empty(q.sizes(), q.options());
    attention_forward_cpu(inputs_of<float>(q, k, v, bias32, texts, scale), out.mutable_data_ptr<float>());
    return out;
  }
  if (q.scalar_type() == torch::kBFloat16) {
    using cpu::BFloat16Bits;
    Tensor out = at::empty(q.sizes(), q.options());
    attention_forward_cpu(inputs_of<BFloat16Bits>(q, k, v, bias32, texts, scale),
                          static_cast<BFloat16Bits*>(out.mutable_data_ptr()));
    return out;
  }
  const auto widen = [](const Tensor& x) { return x.to(torch::kFloat32); };
  return forward_cpu(widen(q), widen(k), widen(v), bias32, texts, scale).to(q.scalar_type());
}

/// The CPU kernel with its gradient: the weights are computed again instead of kept.
class CpuAttention : public torch::autograd::Function<CpuAttention> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* ctx, const Tensor& q, const Tensor& k, const Tensor& v,
                        const std::optional<Tensor>& bias, const Tensor& offsets, std::int64_t longest, double scale) {
    ctx->save_for_backward({q, k, v, bias.value_or(Tensor()), offsets});
    ctx->saved_data["longest"] = longest;
    ctx->saved_data["scale"] = scale;
    return forward_cpu(q, k, v, bias.value_or(Tensor()), {offsets, longest}, scale);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                 torch::autograd::variable_list grad_outputs) {
    const auto saved = ctx->get_saved_variables();
    const Tensor &q = saved[0], &k = saved[1], &v = saved[2], &bias = saved[3];
    const PackedTexts texts{saved[4], ctx->saved_data["longest"].toInt()};
    const auto widen = [](const Tensor& x) { return x.to(torch::kFloat32); };
    const Tensor grad_out = widen(grad_outputs[0]).contiguous();
    const Tensor q32 = widen(q), k32 = widen(k), v32 = widen(v), bias32 = float_bias(bias);
    const auto zeros_like = [](const Tensor& x) { return at::zeros(x.sizes(), x.options().dtype(torch::kFloat32)); };
    const Tensor q_grad = zeros_like(q), k_grad = zeros_like(k), v_grad = zeros_like(v);
    const Tensor bias_grad = bias.defined() ? zeros_like(bias) : Tensor();
    attention_backward_cpu(
        inputs_of<float>(q32, k32, v32, bias32, texts, ctx->saved_data["scale"].toDouble()),
        {grad_out.const_data_ptr<float>(), q_grad.mutable_data_ptr<float>(), k_grad.mutable_data_ptr<float>(),
         v_grad.mutable_data_ptr<float>(), bias_grad.defined() ? bias_grad.mutable_data_ptr<float>() : nullptr});
    const auto narrow = [&](const Tensor& x) { return x.to(q.scalar_type()); };
    return {
        narrow(q_grad), narrow(k_grad), narrow(v_grad), bias.defined() ? bias_grad.to(bias.scalar_type()) : Tensor(),
        Tensor(),       Tensor(),       Tensor()};
  }
};

/// Softmax over texts padded to the longest: for what the packed kernels do not do.
Tensor padded_attention(const Tensor& q, const Tensor& k, const Tensor& v, const PackedTexts& texts,
                        const AttentionOptions& options) {
  const std::int64_t tokens = q.size(0), heads = q.size(1), size = q.size(2), longest = texts.longest;
  const Tensor starts = texts.offsets.slice(0, 0, -1).to(torch::kInt64);               // [texts]
  const Tensor ends = texts.offsets.slice(0, 1).to(torch::kInt64);                     // [texts]
  const Tensor column = at::arange(longest, starts.options());                         // [longest]
  const Tensor there = column.unsqueeze(0).lt((ends - starts).unsqueeze(1));           // [texts, longest]
  const Tensor from = (starts.unsqueeze(1) + column).clamp_max(tokens - 1).flatten();  // [texts * longest]
  const auto pad = [&](const Tensor& x) {
    return x.index_select(0, from).view({-1, longest, heads, size}).transpose(1, 2);  // [texts, heads, longest, size]
  };
  // Finite, so that a text without tokens gives no NaN to the gradient.
  const double never = q.scalar_type() == torch::kHalf ? -3e4 : -1e30;
  Tensor mask = at::zeros({starts.size(0), 1, 1, longest}, q.options())
                    .masked_fill_(there.logical_not().view({-1, 1, 1, longest}), never);
  if (options.bias.defined()) {
    const Tensor at = column.unsqueeze(0) - column.unsqueeze(1) + (options.bias.size(1) - 1) / 2;  // [longest, longest]
    mask = mask + options.bias.index_select(1, at.flatten()).view({1, heads, longest, longest}).to(q.scalar_type());
  }
  const Tensor out = at::scaled_dot_product_attention(
      pad(q), pad(k), pad(v), mask.expand({-1, heads, longest, longest}), options.dropout, false, options.scale);
  const Tensor token = at::arange(tokens, starts.options());
  const Tensor text = at::searchsorted(ends, token, /*out_int32=*/false, /*right=*/true);
  const Tensor back = text * longest + token - starts.index_select(0, text);
  return out.transpose(1, 2).reshape({-1, heads, size}).index_select(0, back);
}

Tensor flash_attention(const Tensor& q, const Tensor& k, const Tensor& v, const PackedTexts& texts,
                       const AttentionOptions& options) {
  return std::get<0>(at::_flash_attention_forward(q, k, v, texts.offsets, texts.offsets, texts.longest, texts.longest,
                                                  options.dropout, /*is_causal=*/false, /*return_debug_mask=*/false,
                                                  options.scale));
}

}  // namespace

Tensor packed_attention(const Tensor& q, const Tensor& k, const Tensor& v, const PackedTexts& texts,
                        const AttentionOptions& options) {
  check(q, k, v, texts, options);
  if (q.size(0) == 0) return q.clone();
  if (q.is_cuda()) {
    const bool half = q.scalar_type() == torch::kBFloat16 || q.scalar_type() == torch::kHalf;
    const bool flash = half && !options.bias.defined() && q.size(2) % 8 == 0 && q.size(2) <= 256;
    return flash ? flash_attention(q, k, v, texts, options) : padded_attention(q, k, v, texts, options);
  }
  check_offsets(texts, q.size(0));
  if (options.dropout > 0) return padded_attention(q, k, v, texts, options);
  const std::optional<Tensor> bias = options.bias.defined() ? std::optional(options.bias) : std::nullopt;
  return CpuAttention::apply(q, k, v, bias, texts.offsets, texts.longest, options.scale);
}

}  // namespace hasa
