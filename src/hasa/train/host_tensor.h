#pragma once

#include <torch/types.h>

#include <cstring>
#include <vector>

namespace hasa {

/// A CPU tensor that can be copied to `device` asynchronously: pinned if that helps.
inline torch::Tensor for_device(const torch::Tensor& x, const torch::Device& device) {
  return device.is_cpu() || !x.defined() ? x : x.pin_memory();
}

/// The values of a vector in such a tensor.
template <class T>
torch::Tensor host_tensor(const std::vector<T>& values, torch::Dtype dtype, const torch::Device& device) {
  const auto options = torch::TensorOptions(dtype).pinned_memory(!device.is_cpu());
  torch::Tensor x = torch::empty({static_cast<std::int64_t>(values.size())}, options);
  if (!values.empty()) std::memcpy(x.mutable_data_ptr(), values.data(), values.size() * sizeof(T));
  return x;
}

}  // namespace hasa
