#include "hasa/ops/encoder/dropout_add_layer_norm.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/native_layer_norm.h>
#include <ATen/ops/native_layer_norm_backward.h>
#include <torch/csrc/autograd/custom_function.h>

#include "hasa/base/error.h"
#include "hasa/ops/core/device.h"
#include "hasa/ops/core/kernel_arguments.h"
#include "hasa/ops/encoder/add_layer_norm.h"
#include "hasa/ops/encoder/dropout_add_layer_norm_kernels.h"

namespace hasa {
namespace {

using torch::Tensor;

void check(const Tensor& x, const Tensor& linear_bias, const Tensor& residual, const Tensor& weight,
           const Tensor& bias) {
  HASA_CHECK(x.dim() == 2 && weight.dim() == 1 && weight.size(0) == x.size(1) && bias.sizes() == weight.sizes(), shape,
             "dropout_add_layer_norm: x must be [rows, width], weight and bias [width]");
  HASA_CHECK(residual.sizes() == x.sizes() && residual.scalar_type() == x.scalar_type(), shape,
             "dropout_add_layer_norm: residual must be like x");
  HASA_CHECK(!linear_bias.defined() || linear_bias.sizes() == weight.sizes(), shape,
             "dropout_add_layer_norm: linear_bias must be [width]");
}

kernels::NormShape norm_shape(const Tensor& x, const Tensor& weight) {
  return {x.size(0), x.size(1), x.scalar_type() == torch::kBFloat16, weight.scalar_type() == torch::kFloat32};
}

bool has_kernel(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& linear_bias) {
  const bool alike = bias.scalar_type() == weight.scalar_type() &&
                     (!linear_bias.defined() || linear_bias.scalar_type() == weight.scalar_type());
  return has_row_kernel(x, weight) && x.size(1) <= kernels::kWidestNorm && alike;
}

Tensor dropped_sum(const Tensor& x, const Tensor& linear_bias, const Tensor& residual, const SeededDropout& dropout) {
  const Tensor product = linear_bias.defined() ? x + linear_bias.to(x.scalar_type()) : x;
  return residual + seeded_dropout(product, dropout);
}

NormedSum forward_by_tensors(const Tensor& x, const Tensor& linear_bias, const Tensor& residual, const Tensor& weight,
                             const Tensor& bias, double eps, const SeededDropout& dropout) {
  const Tensor sum = dropped_sum(x, linear_bias, residual, dropout);
  auto [out, mean, inverse_std] =
      at::native_layer_norm(sum, {x.size(1)}, weight.to(x.scalar_type()), bias.to(x.scalar_type()), eps);
  return {out, sum, mean, inverse_std};
}

DropoutAddLayerNormGrads backward_by_tensors(const Tensor& grad, const NormedSum& forward, const Tensor& weight,
                                             const Tensor& bias, const SeededDropout& dropout, bool linear_bias_grad) {
  const Tensor scale = weight.to(grad.scalar_type()), shift = bias.to(grad.scalar_type());
  auto [sum_grad, weight_grad, bias_grad] =
      at::native_layer_norm_backward(grad.contiguous(), forward.sum, {grad.size(1)}, forward.mean, forward.inverse_std,
                                     scale, shift, {true, true, true});
  const Tensor x_grad = seeded_dropout(sum_grad, dropout);
  return {x_grad, sum_grad, linear_bias_grad ? x_grad.sum(0).to(weight.scalar_type()) : Tensor(),
          weight_grad.to(weight.scalar_type()), bias_grad.to(bias.scalar_type())};
}

NormedSum forward_by_kernel(const Tensor& x_in, const Tensor& linear_bias, const Tensor& residual_in,
                            const Tensor& weight_in, const Tensor& bias_in, double eps, const SeededDropout& dropout,
                            bool keep_sum) {
  const Tensor x = for_kernel(x_in), residual = for_kernel(residual_in), product_bias = for_kernel(linear_bias);
  const Tensor weight = for_kernel(weight_in), bias = for_kernel(bias_in);
  NormedSum forward;
  forward.out = at::empty_like(x);
  if (keep_sum) {
    forward.sum = at::empty_like(x);
    forward.mean = at::empty({x.size(0)}, x.options().dtype(torch::kFloat32));
    forward.inverse_std = at::empty_like(forward.mean);
  }
  const kernels::NormForward pass{input_pointer(x),
                                  input_pointer(product_bias),
                                  input_pointer(residual),
                                  input_pointer(weight),
                                  input_pointer(bias),
                                  static_cast<float>(eps),
                                  view_of(dropout, x.device()),
                                  output_pointer(forward.out),
                                  output_pointer(forward.sum),
                                  float_pointer(forward.mean),
                                  float_pointer(forward.inverse_std)};
  on_cuda([&](void* stream) { kernels::dropout_add_layer_norm_forward_cuda(norm_shape(x, weight), pass, stream); });
  return forward;
}

DropoutAddLayerNormGrads backward_by_kernel(const Tensor& grad_in, const NormedSum& forward, const Tensor& weight_in,
                                            const SeededDropout& dropout, bool linear_bias_grad) {
  const Tensor grad = for_kernel(grad_in), weight = for_kernel(weight_in);
  const kernels::DropoutView choice = view_of(dropout, grad.device());
  const kernels::NormShape shape = norm_shape(grad, weight);
  DropoutAddLayerNormGrads grads;
  grads.residual = at::empty_like(grad);
  grads.x = choice.threshold == 0 ? grads.residual : at::empty_like(grad);
  grads.weight = at::empty_like(weight);
  grads.bias = at::empty_like(weight);
  if (linear_bias_grad) grads.linear_bias = at::empty_like(weight);
  on_cuda([&](void* stream) {
    const Tensor partial =
        at::empty({kernels::norm_backward_blocks_cuda(shape), 3, grad.size(1)}, grad.options().dtype(torch::kFloat32));
    const kernels::NormBackward pass{input_pointer(grad),
                                     input_pointer(forward.sum),
                                     forward.mean.const_data_ptr<float>(),
                                     forward.inverse_std.const_data_ptr<float>(),
                                     input_pointer(weight),
                                     choice,
                                     output_pointer(grads.residual),
                                     choice.threshold == 0 ? nullptr : output_pointer(grads.x),
                                     output_pointer(grads.weight),
                                     output_pointer(grads.bias),
                                     output_pointer(grads.linear_bias),
                                     partial.data_ptr<float>()};
    kernels::dropout_add_layer_norm_backward_cuda(shape, pass, stream);
  });
  return grads;
}

struct DropoutAddLayerNorm : torch::autograd::Function<DropoutAddLayerNorm> {
  // An empty linear_bias stands for none, since autograd takes no undefined one.
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& x, const Tensor& linear_bias,
                        const Tensor& residual, const Tensor& weight, const Tensor& bias, double eps,
                        const SeededDropout& dropout) {
    const NormedSum done = dropout_add_layer_norm_forward(x, or_undefined(linear_bias), residual, weight, bias, eps,
                                                          dropout, /*keep_sum=*/true);
    context->save_for_backward({done.sum, done.mean, done.inverse_std, weight, bias, or_empty(dropout.step, x)});
    context->saved_data["share"] = dropout.share;
    context->saved_data["seed"] = static_cast<std::int64_t>(dropout.seed);
    context->saved_data["first"] = dropout.first;
    context->saved_data["linear_bias"] = linear_bias.numel() > 0;
    return done.out;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& grads) {
    const auto saved = context->get_saved_variables();
    const SeededDropout dropout{context->saved_data["share"].toDouble(),
                                static_cast<std::uint64_t>(context->saved_data["seed"].toInt()), or_undefined(saved[5]),
                                context->saved_data["first"].toInt()};
    const bool linear_bias_grad = context->saved_data["linear_bias"].toBool() && context->needs_input_grad(1);
    const DropoutAddLayerNormGrads all = dropout_add_layer_norm_backward(grads[0], {{}, saved[0], saved[1], saved[2]},
                                                                         saved[3], saved[4], dropout, linear_bias_grad);
    return {all.x, all.linear_bias, all.residual, all.weight, all.bias, {}, {}};
  }
};

}  // namespace

NormedSum dropout_add_layer_norm_forward(const Tensor& x, const Tensor& linear_bias, const Tensor& residual,
                                         const Tensor& weight, const Tensor& bias, double eps,
                                         const SeededDropout& dropout, bool keep_sum) {
  check(x, linear_bias, residual, weight, bias);
  if (has_kernel(x, weight, bias, linear_bias)) {
    return forward_by_kernel(x, linear_bias, residual, weight, bias, eps, dropout, keep_sum);
  }
  return forward_by_tensors(x, linear_bias, residual, weight, bias, eps, dropout);
}

DropoutAddLayerNormGrads dropout_add_layer_norm_backward(const Tensor& grad, const NormedSum& forward,
                                                         const Tensor& weight, const Tensor& bias,
                                                         const SeededDropout& dropout, bool linear_bias_grad) {
  HASA_CHECK(forward.sum.defined(), shape, "dropout_add_layer_norm: the forward pass did not keep its sum");
  if (has_kernel(forward.sum, weight, bias, {})) {
    return backward_by_kernel(grad, forward, weight, dropout, linear_bias_grad);
  }
  return backward_by_tensors(grad, forward, weight, bias, dropout, linear_bias_grad);
}

Tensor dropout_add_layer_norm(const Tensor& x, const Tensor& linear_bias, const Tensor& residual, const Tensor& weight,
                              const Tensor& bias, double eps, const SeededDropout& dropout) {
  check(x, linear_bias, residual, weight, bias);
  if (wants_gradient({x, linear_bias, residual, weight, bias})) {
    return DropoutAddLayerNorm::apply(x, or_empty(linear_bias, x), residual, weight, bias, eps, dropout);
  }
  if (x.is_cpu() && weight.scalar_type() == x.scalar_type()) {  // one pass of its own for the norm
    const Tensor product = linear_bias.defined() ? x + linear_bias.to(x.scalar_type()) : x;
    return add_layer_norm(seeded_dropout(product, dropout), residual, weight, bias, eps);
  }
  return dropout_add_layer_norm_forward(x, linear_bias, residual, weight, bias, eps, dropout, false).out;
}

}  // namespace hasa
