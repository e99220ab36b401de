#pragma once

#include <torch/types.h>

namespace hasa {

/// A model as evaluation and prediction see it: a vector for every entity, one for a query, and their dot
/// product as the score. Nothing here changes or needs gradients.
class Scorer {
 public:
  virtual ~Scorer() = default;

  /// [entities, dim] float32
  virtual const torch::Tensor& entities() const = 0;
  /// heads, relations: [queries] int64 on the device of entities(); relations are directed. -> [queries, dim]
  virtual torch::Tensor queries(const torch::Tensor& heads, const torch::Tensor& relations) const = 0;

  torch::Device device() const { return entities().device(); }
};

}  // namespace hasa
