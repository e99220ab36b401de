#pragma once

#include <cstdint>

namespace hasa::kernels {

struct ComplexRows {
  std::int64_t rows, half;
  bool angles;  // y [rows, half] are angles in `unit` radians; else complex numbers [rows, 2 half]
  float unit;
  const float* x;  // [rows, 2 half]
  const float* y;
  const bool* turned;  // [rows], or null
};
void complex_rows_forward_cuda(const ComplexRows& pass, float* out, void* stream);
void complex_rows_backward_cuda(const ComplexRows& pass, const float* grad, float* x_grad, float* y_grad, void* stream);

}  // namespace hasa::kernels
