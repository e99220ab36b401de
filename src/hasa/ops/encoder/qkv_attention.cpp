#include "hasa/ops/encoder/qkv_attention.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_flash_attention_backward.h>
#include <ATen/ops/_flash_attention_forward.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/stack.h>
#include <torch/csrc/autograd/custom_function.h>

#include <tuple>

#include "hasa/base/error.h"
#include "hasa/ops/core/kernel_arguments.h"
#include "hasa/ops/encoder/qkv_attention_kernels.h"

namespace hasa {
namespace {

using torch::Tensor;

void check(const Tensor& qkv, const PackedTexts& texts, double scale) {
  HASA_CHECK(qkv.dim() == 4 && qkv.size(1) == 3 && qkv.is_contiguous(), shape,
             "qkv_attention: qkv must be [tokens, 3, heads, size] and contiguous");
  HASA_CHECK(scale > 0, config, "qkv_attention: scale is {}, expected a number above 0", scale);
  HASA_CHECK(texts.offsets.dim() == 1 && texts.offsets.size(0) >= 1 && texts.offsets.scalar_type() == torch::kInt32 &&
                 texts.offsets.is_contiguous() && texts.offsets.device() == qkv.device(),
             shape, "qkv_attention: offsets must be a contiguous int32 vector on the device of qkv");
}

bool has_kernel(const Tensor& qkv, const PackedTexts& texts) {
  return qkv_attention_has_kernel(qkv, qkv.size(3), texts.longest);
}
bool has_flash(const Tensor& qkv) {
  const bool half = qkv.scalar_type() == torch::kBFloat16 || qkv.scalar_type() == torch::kHalf;
  return qkv.is_cuda() && half && qkv.size(3) % 8 == 0 && qkv.size(3) <= 256 && qkv.size(0) > 0;
}

Tensor attend_by_tensors(const Tensor& qkv, const PackedTexts& texts, double scale) {
  return packed_attention(qkv.select(1, 0), qkv.select(1, 1), qkv.select(1, 2), texts, {scale, {}, 0.0});
}

Tensor backward_by_tensors(const Tensor& grad_out, const Tensor& qkv, const PackedTexts& texts, double scale) {
  const at::AutoGradMode recording(true);
  const Tensor leaf = qkv.detach().requires_grad_();
  attend_by_tensors(leaf, texts, scale).backward(grad_out);
  return leaf.grad().contiguous();
}

QkvAttention forward_by_flash(const Tensor& qkv, const PackedTexts& texts, double scale) {
  auto [out, lse, random_state, unused, mask] = at::_flash_attention_forward(
      qkv.select(1, 0), qkv.select(1, 1), qkv.select(1, 2), texts.offsets, texts.offsets, texts.longest, texts.longest,
      /*dropout_p=*/0.0, /*is_causal=*/false, /*return_debug_mask=*/false, scale);
  return {out, lse, random_state, unused};
}

Tensor backward_by_flash(const Tensor& grad_out, const Tensor& qkv, const QkvAttention& forward,
                         const PackedTexts& texts, double scale) {
  const auto [q, k, v] = at::_flash_attention_backward(
      grad_out.contiguous(), qkv.select(1, 0), qkv.select(1, 1), qkv.select(1, 2), forward.out, forward.lse,
      texts.offsets, texts.offsets, texts.longest, texts.longest, /*dropout_p=*/0.0, /*is_causal=*/false,
      forward.random_state, forward.unused, scale);
  return at::stack({q, k, v}, 1);
}

kernels::QkvShape qkv_shape(const Tensor& qkv, const PackedTexts& texts, double scale, const SeededDropout& dropout) {
  return {texts.offsets.const_data_ptr<std::int32_t>(),
          texts.offsets.size(0) - 1,
          qkv.size(0),
          qkv.size(2),
          qkv.size(3),
          texts.longest,
          static_cast<float>(scale),
          view_of(dropout, qkv.device())};
}

QkvAttention forward_by_kernel(const Tensor& qkv_in, const PackedTexts& texts, double scale,
                               const SeededDropout& dropout) {
  const Tensor qkv = for_kernel(qkv_in);
  QkvAttention forward;
  forward.out = at::empty({qkv.size(0), qkv.size(2), qkv.size(3)}, qkv.options());
  forward.lse = at::empty({qkv.size(2), qkv.size(0)}, qkv.options().dtype(torch::kFloat32));
  const kernels::QkvForward pass{input_pointer(qkv), output_pointer(forward.out), float_pointer(forward.lse)};
  on_cuda(
      [&](void* stream) { kernels::qkv_attention_forward_cuda(qkv_shape(qkv, texts, scale, dropout), pass, stream); });
  return forward;
}

Tensor backward_by_kernel(const Tensor& grad_in, const Tensor& qkv_in, const QkvAttention& forward,
                          const PackedTexts& texts, double scale, const SeededDropout& dropout) {
  const Tensor qkv = for_kernel(qkv_in), grad_out = for_kernel(grad_in);
  Tensor grad = at::empty_like(qkv);
  const kernels::QkvBackward pass{input_pointer(qkv), input_pointer(forward.out), input_pointer(grad_out),
                                  forward.lse.const_data_ptr<float>(), output_pointer(grad)};
  on_cuda(
      [&](void* stream) { kernels::qkv_attention_backward_cuda(qkv_shape(qkv, texts, scale, dropout), pass, stream); });
  return grad;
}

struct QkvAttentionFunction : torch::autograd::Function<QkvAttentionFunction> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& qkv, const Tensor& offsets,
                        std::int64_t longest, double scale) {
    const QkvAttention done = qkv_attention_forward(qkv, {offsets, longest}, scale);
    context->save_for_backward(
        {qkv, offsets, done.out, done.lse, or_empty(done.random_state, qkv), or_empty(done.unused, qkv)});
    context->saved_data["longest"] = longest;
    context->saved_data["scale"] = scale;
    return done.out;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& grads) {
    const auto saved = context->get_saved_variables();
    return {qkv_attention_backward(grads[0], saved[0], {saved[2], saved[3], saved[4], saved[5]},
                                   {saved[1], context->saved_data["longest"].toInt()},
                                   context->saved_data["scale"].toDouble()),
            {},
            {},
            {}};
  }
};

}  // namespace

bool qkv_attention_has_kernel(const Tensor& like, std::int64_t size, std::int64_t longest) {
  return like.is_cuda() && like.scalar_type() == torch::kBFloat16 && (size == 32 || size == 64) &&
         longest <= kernels::kLongestAttended;
}

QkvAttention qkv_attention_forward(const Tensor& qkv, const PackedTexts& texts, double scale,
                                   const SeededDropout& dropout) {
  check(qkv, texts, scale);
  if (has_kernel(qkv, texts)) return forward_by_kernel(qkv, texts, scale, dropout);
  HASA_CHECK(dropout.share == 0, unavailable, "qkv_attention: only its own kernels have dropout");
  if (has_flash(qkv)) return forward_by_flash(qkv, texts, scale);
  return {attend_by_tensors(qkv, texts, scale), {}, {}, {}};
}

Tensor qkv_attention_backward(const Tensor& grad_out, const Tensor& qkv, const QkvAttention& forward,
                              const PackedTexts& texts, double scale, const SeededDropout& dropout) {
  check(qkv, texts, scale);
  HASA_CHECK(grad_out.sizes() == forward.out.sizes() && grad_out.scalar_type() == qkv.scalar_type(), shape,
             "qkv_attention: the gradient must be like the result");
  if (has_kernel(qkv, texts)) return backward_by_kernel(grad_out, qkv, forward, texts, scale, dropout);
  HASA_CHECK(dropout.share == 0, unavailable, "qkv_attention: only its own kernels have dropout");
  if (has_flash(qkv)) return backward_by_flash(grad_out, qkv, forward, texts, scale);
  return backward_by_tensors(grad_out, qkv, texts, scale);
}

Tensor qkv_attention(const Tensor& qkv, const PackedTexts& texts, double scale) {
  check(qkv, texts, scale);
  if (!wants_gradient({qkv})) return qkv_attention_forward(qkv, texts, scale).out;
  if (has_kernel(qkv, texts) || has_flash(qkv))
    return QkvAttentionFunction::apply(qkv, texts.offsets, texts.longest, scale);
  return attend_by_tensors(qkv, texts, scale);
}

}  // namespace hasa
