#pragma once

#include <cstdint>

namespace hasa::kernels {

/// Values are float32 or bfloat16, the bias the same or float32; every pointer is 16-byte aligned.
struct BiasGeluShape {
  std::int64_t rows;
  std::int64_t width;  // a multiple of 8
  bool is_bfloat16;
  bool bias_is_float;
};

void bias_gelu_forward_cuda(const BiasGeluShape& shape, const void* x, const void* bias, void* out, void* stream);

struct BiasGeluBackward {
  const void* grad;
  const void* x;
  const void* bias;
  void* grad_x;
  void* grad_bias;
  float* partial;  // [bias_gelu_backward_blocks_cuda(shape), width]
};
std::int64_t bias_gelu_backward_blocks_cuda(const BiasGeluShape& shape);
void bias_gelu_backward_cuda(const BiasGeluShape& shape, const BiasGeluBackward& pass, void* stream);

}  // namespace hasa::kernels
