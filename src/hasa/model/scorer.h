#pragma once

#include <torch/types.h>

#include "hasa/ops/full_scores.h"

namespace hasa {

/// A model as evaluation and prediction see it: a vector for every entity, one for a query, and how alike the two are
/// as the score. Nothing here changes or needs gradients.
class Scorer {
 public:
  virtual ~Scorer() = default;

  /// [entities, dim] float32
  virtual const torch::Tensor& entities() const = 0;
  /// heads, relations: [queries] int64 on the device of entities(); relations are directed. -> [queries, dim]
  virtual torch::Tensor queries(const torch::Tensor& heads, const torch::Tensor& relations) const = 0;

  virtual Similarity similarity() const { return Similarity::dot; }

  /// Of query vectors against all entities, in true float32: [queries, entities].
  torch::Tensor scores(const torch::Tensor& queries) const { return full_scores(queries, entities(), similarity()); }

  torch::Device device() const { return entities().device(); }
};

}  // namespace hasa
