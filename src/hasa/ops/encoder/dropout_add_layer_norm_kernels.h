#pragma once

#include <cstdint>

#include "hasa/ops/encoder/seeded_dropout_kernels.h"

namespace hasa::kernels {

constexpr std::int64_t kWidestNorm = 4096;  // 512 threads of eight columns each

/// Values are float32 or bfloat16 (`is_bfloat16`), parameters the same or float32 (`parameters_are_float`);
/// every pointer is 16-byte aligned.
struct NormShape {
  std::int64_t rows;
  std::int64_t width;  // a multiple of 8, at most kWidestNorm
  bool is_bfloat16;
  bool parameters_are_float;
};

struct NormForward {
  const void* x;
  const void* linear_bias;  // or null
  const void* residual;
  const void* weight;
  const void* bias;
  float eps;
  DropoutView dropout;
  void* out;
  void* sum;    // or null
  float* mean;  // or null, together with inverse_std
  float* inverse_std;
};
void dropout_add_layer_norm_forward_cuda(const NormShape& shape, const NormForward& pass, void* stream);

struct NormBackward {
  const void* grad;
  const void* sum;
  const float* mean;
  const float* inverse_std;
  const void* weight;
  DropoutView dropout;
  void* grad_sum;  // of the residual
  void* grad_x;    // null where nothing was dropped: the same as grad_sum
  void* grad_weight;
  void* grad_bias;
  void* grad_linear_bias;  // or null
  float* partial;          // [norm_backward_blocks(shape), 3, width]
};
std::int64_t norm_backward_blocks_cuda(const NormShape& shape);
void dropout_add_layer_norm_backward_cuda(const NormShape& shape, const NormBackward& pass, void* stream);

}  // namespace hasa::kernels
