#pragma once

#include <torch/types.h>

#include "hasa/nn/named_tensor.h"

namespace hasa {

/// g(head, relation): the last hidden state of a GRU over the two-step sequence (head, relation), from a zero
/// state. Weights have PyTorch's layout: reset, update and new gate, stacked.
class GruQuery {
 public:
  GruQuery() = default;
  explicit GruQuery(std::int64_t dim);

  /// heads [queries, dim]; relations [relations, dim], of which query i takes row relation_of[i]. -> [queries, dim]
  /// A relation's part of the second step is computed once however many queries share it.
  torch::Tensor operator()(const torch::Tensor& heads, const torch::Tensor& relations,
                           const torch::Tensor& relation_of) const;

  NamedTensors parameters() const;

 private:
  torch::Tensor weight_input_, weight_hidden_;  // [3 dim, dim]
  torch::Tensor bias_input_, bias_hidden_;      // [3 dim]
};

}  // namespace hasa
