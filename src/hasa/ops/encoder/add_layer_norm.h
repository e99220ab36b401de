#pragma once

#include <torch/types.h>

namespace hasa {

/// out = (s - mean(s)) / sqrt(variance(s) + eps) * weight + bias, with s = x + residual, row by row.
///
/// x and residual [rows, width], weight and bias [width], one dtype of float32, bfloat16, float16; residual may
/// be undefined: s = x. Mean and variance (of the population) are float32. Differentiable in all four.
///
/// CPU without gradients: one pass of our own, the sum kept in float32. Otherwise tensor operations, whose sum is
/// rounded to the dtype first.
torch::Tensor add_layer_norm(const torch::Tensor& x, const torch::Tensor& residual, const torch::Tensor& weight,
                             const torch::Tensor& bias, double eps);

/// The obvious loop in double, on the CPU.
torch::Tensor add_layer_norm_reference(const torch::Tensor& x, const torch::Tensor& residual,
                                       const torch::Tensor& weight, const torch::Tensor& bias, double eps);

}  // namespace hasa
