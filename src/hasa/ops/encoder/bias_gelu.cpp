#include "hasa/ops/encoder/bias_gelu.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/gelu_backward.h>
#include <torch/csrc/autograd/custom_function.h>

#include "hasa/base/error.h"
#include "hasa/ops/core/kernel_arguments.h"
#include "hasa/ops/encoder/bias_gelu_kernels.h"

namespace hasa {
namespace {

using torch::Tensor;

kernels::BiasGeluShape gelu_shape(const Tensor& x, const Tensor& bias) {
  return {x.size(0), x.size(1), x.scalar_type() == torch::kBFloat16, bias.scalar_type() == torch::kFloat32};
}

BiasGeluGrads backward_by_kernel(const Tensor& grad_in, const Tensor& x_in, const Tensor& bias_in) {
  const Tensor grad = for_kernel(grad_in), x = for_kernel(x_in), bias = for_kernel(bias_in);
  const kernels::BiasGeluShape shape = gelu_shape(x, bias);
  BiasGeluGrads grads{at::empty_like(x), at::empty_like(bias)};
  on_cuda([&](void* stream) {
    const Tensor partial =
        at::empty({kernels::bias_gelu_backward_blocks_cuda(shape), x.size(1)}, x.options().dtype(torch::kFloat32));
    kernels::bias_gelu_backward_cuda(shape,
                                     {input_pointer(grad), input_pointer(x), input_pointer(bias),
                                      output_pointer(grads.x), output_pointer(grads.bias), partial.data_ptr<float>()},
                                     stream);
  });
  return grads;
}

struct BiasGelu : torch::autograd::Function<BiasGelu> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& x, const Tensor& bias) {
    context->save_for_backward({x, bias});
    return bias_gelu_forward(x, bias);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& grads) {
    const auto saved = context->get_saved_variables();
    const BiasGeluGrads both = bias_gelu_backward(grads[0], saved[0], saved[1]);
    return {both.x, both.bias};
  }
};

}  // namespace

Tensor bias_gelu_forward(const Tensor& x_in, const Tensor& bias_in) {
  HASA_CHECK(x_in.dim() == 2 && bias_in.dim() == 1 && bias_in.size(0) == x_in.size(1), shape,
             "bias_gelu: x must be [rows, width] and bias [width]");
  if (!has_row_kernel(x_in, bias_in)) return at::gelu(x_in + bias_in.to(x_in.scalar_type()));
  const Tensor x = for_kernel(x_in), bias = for_kernel(bias_in);
  Tensor out = at::empty_like(x);
  on_cuda([&](void* stream) {
    kernels::bias_gelu_forward_cuda(gelu_shape(x, bias), input_pointer(x), input_pointer(bias), output_pointer(out),
                                    stream);
  });
  return out;
}

BiasGeluGrads bias_gelu_backward(const Tensor& grad, const Tensor& x, const Tensor& bias) {
  if (has_row_kernel(x, bias)) return backward_by_kernel(grad, x, bias);
  const Tensor x_grad = at::gelu_backward(grad, x + bias.to(x.scalar_type()));
  return {x_grad, x_grad.sum(0).to(bias.scalar_type())};
}

Tensor bias_gelu(const Tensor& x, const Tensor& bias) {
  return wants_gradient({x, bias}) ? BiasGelu::apply(x, bias) : bias_gelu_forward(x, bias);
}

}  // namespace hasa
