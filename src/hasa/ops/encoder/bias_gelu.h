#pragma once

#include <torch/types.h>

namespace hasa {

/// out = gelu(x + bias), gelu(v) = v * (1 + erf(v / sqrt(2))) / 2, in one pass over memory forward and one backward.
///
/// x [rows, width]: a matrix product without its bias; out has its dtype. bias [width], of that dtype or float32.
/// Differentiable in both; what is kept for the backward pass is x. The gradient of bias is summed in float32 in a
/// fixed order.
///
/// CUDA kernels take float32 and bfloat16 and widths that are multiples of 8, and are within 1e-6 (1 + |v|) of the
/// exact value before rounding; all else is tensor operations.
torch::Tensor bias_gelu(const torch::Tensor& x, const torch::Tensor& bias);

struct BiasGeluGrads {
  torch::Tensor x, bias;
};
/// The two passes without autograd.
torch::Tensor bias_gelu_forward(const torch::Tensor& x, const torch::Tensor& bias);
BiasGeluGrads bias_gelu_backward(const torch::Tensor& grad, const torch::Tensor& x, const torch::Tensor& bias);

/// The obvious loop in double, on the CPU.
torch::Tensor bias_gelu_reference(const torch::Tensor& x, const torch::Tensor& bias);

}  // namespace hasa
