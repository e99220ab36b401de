#pragma once

#include <torch/types.h>

#include "hasa/ops/encoder/seeded_dropout.h"

namespace hasa {

/// The end of a sub-layer of a transformer, in one pass over memory forward and one backward:
///
///   s = residual + dropout(x + linear_bias),  out = (s - mean(s)) / sqrt(variance(s) + eps) * weight + bias
///
/// row by row. x [rows, width]: a matrix product without its bias. linear_bias [width], or undefined for 0.
/// residual [rows, width]; weight, bias [width]. x and residual have one dtype, which out has too; linear_bias,
/// weight and bias have that dtype or float32. Sums, mean and variance (of the population) are float32.
/// Differentiable in all five; linear_bias, weight and bias get gradients summed in float32 in a fixed order, so
/// results are the same from run to run.
///
/// CUDA kernels take float32 and bfloat16 and widths that are multiples of 8 up to 4096; all else is tensor
/// operations, which round s to the dtype before its mean is taken.
torch::Tensor dropout_add_layer_norm(const torch::Tensor& x, const torch::Tensor& linear_bias,
                                     const torch::Tensor& residual, const torch::Tensor& weight,
                                     const torch::Tensor& bias, double eps, const SeededDropout& dropout = {});

/// What the backward pass needs of the forward pass. Made and used by one device and dtype.
struct NormedSum {
  torch::Tensor out;          // [rows, width]
  torch::Tensor sum;          // [rows, width] s; undefined unless it was to be kept
  torch::Tensor mean;         // [rows] of s
  torch::Tensor inverse_std;  // [rows]
};
struct DropoutAddLayerNormGrads {
  torch::Tensor x, residual;  // one tensor where nothing was dropped
  torch::Tensor linear_bias;  // undefined unless it was asked for
  torch::Tensor weight, bias;
};

/// The two passes without autograd, for callers who add gradients of the residual into a product of their own.
NormedSum dropout_add_layer_norm_forward(const torch::Tensor& x, const torch::Tensor& linear_bias,
                                         const torch::Tensor& residual, const torch::Tensor& weight,
                                         const torch::Tensor& bias, double eps, const SeededDropout& dropout,
                                         bool keep_sum);
DropoutAddLayerNormGrads dropout_add_layer_norm_backward(const torch::Tensor& grad, const NormedSum& forward,
                                                         const torch::Tensor& weight, const torch::Tensor& bias,
                                                         const SeededDropout& dropout, bool linear_bias_grad);

/// The obvious loop in double, on the CPU.
torch::Tensor dropout_add_layer_norm_reference(const torch::Tensor& x, const torch::Tensor& linear_bias,
                                               const torch::Tensor& residual, const torch::Tensor& weight,
                                               const torch::Tensor& bias, double eps,
                                               const SeededDropout& dropout = {});

}  // namespace hasa
