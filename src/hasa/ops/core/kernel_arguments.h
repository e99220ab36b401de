#pragma once

#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>

#include "hasa/ops/core/device.h"

// Helpers between tensors and kernels that take pointers, for operations on rows.

namespace hasa {

inline bool wants_gradient(std::initializer_list<torch::Tensor> tensors) {
  return at::GradMode::is_enabled() && std::any_of(tensors.begin(), tensors.end(), [](const torch::Tensor& t) {
           return t.defined() && t.requires_grad();
         });
}

// Autograd does not accept undefined tensors: an empty one replaces it.
inline torch::Tensor or_empty(const torch::Tensor& t, const torch::Tensor& like) {
  return t.defined() ? t : torch::empty({0}, like.options());
}
inline torch::Tensor or_undefined(const torch::Tensor& t) { return t.numel() > 0 ? t : torch::Tensor(); }

/// The kernels on rows take CUDA tensors of float32 and bfloat16, eight columns at a time, and parameters of the
/// same dtype or float32.
inline bool has_row_kernel(const torch::Tensor& x, const torch::Tensor& parameter) {
  const bool values = x.scalar_type() == torch::kFloat32 || x.scalar_type() == torch::kBFloat16;
  const bool parameters = parameter.scalar_type() == x.scalar_type() || parameter.scalar_type() == torch::kFloat32;
  return x.is_cuda() && values && parameters && x.size(1) % 8 == 0 && x.size(1) > 0;
}

/// Contiguous and 16-byte aligned, as the kernels' loads require; undefined stays undefined.
inline torch::Tensor for_kernel(const torch::Tensor& t) {
  if (!t.defined()) return t;
  const torch::Tensor whole = t.contiguous();
  return reinterpret_cast<std::uintptr_t>(whole.const_data_ptr()) % 16 == 0 ? whole : whole.clone();
}

inline const void* input_pointer(const torch::Tensor& t) { return t.defined() ? t.const_data_ptr() : nullptr; }
inline void* output_pointer(const torch::Tensor& t) { return t.defined() ? t.mutable_data_ptr() : nullptr; }
inline float* float_pointer(const torch::Tensor& t) { return t.defined() ? t.mutable_data_ptr<float>() : nullptr; }

/// launch(stream), in a build with CUDA.
template <class Launch>
void on_cuda(const Launch& launch) {
  dispatch(torch::kCUDA, [] {}, launch);
}

}  // namespace hasa
