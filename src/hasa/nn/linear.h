#pragma once

#include <torch/types.h>

#include "hasa/nn/named_tensor.h"

namespace hasa {

/// y = x Wᵀ + b, initialised uniformly within 1 / sqrt(inputs).
/// x weight^T + bias. Without gradients, as in evaluation, it sums in
/// one order (ops/score/ordered_product.h): a row's result does not
/// depend on the other rows or the number of threads.
torch::Tensor linear(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias);

struct Linear {
  torch::Tensor weight;  // [outputs, inputs]
  torch::Tensor bias;    // [outputs]

  Linear() = default;
  Linear(std::int64_t inputs, std::int64_t outputs);
  torch::Tensor operator()(const torch::Tensor& x) const;
  NamedTensors parameters() const { return {{"weight", weight}, {"bias", bias}}; }
};

/// Rows shifted and scaled to mean 0 and variance 1, then by a learned weight and bias.
struct LayerNorm {
  torch::Tensor weight;  // [size]
  torch::Tensor bias;    // [size]

  LayerNorm() = default;
  explicit LayerNorm(std::int64_t size);
  torch::Tensor operator()(const torch::Tensor& x) const;
  NamedTensors parameters() const { return {{"weight", weight}, {"bias", bias}}; }
};

}  // namespace hasa
