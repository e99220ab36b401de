#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>

#include "hasa/ops/score/similarity.h"

namespace hasa {

/// The best entities for each query, best first; of equal scores the smaller id first. -1, and no number, where an
/// index found fewer.
struct Nearest {
  torch::Tensor entities;  // [queries, k] int64
  torch::Tensor scores;    // [queries, k] float32
};

/// Finds the entities that are most like a query, by vectors alone. Everything is on the CPU; from any thread.
class EntityIndex {
 public:
  virtual ~EntityIndex() = default;

  virtual std::int64_t size() const = 0;
  virtual std::int64_t dim() const = 0;
  /// queries [q, dim] float32
  virtual Nearest nearest(const torch::Tensor& queries, std::int64_t k) const = 0;
};

/// Compares every entity: what `nearest` gives is what ranking would. Vectors [entities, dim] float32 are shared, not
/// copied. Scores of a part of the entities are held at a time.
std::unique_ptr<EntityIndex> exact_index(const torch::Tensor& entities, Similarity similarity);

/// The share of the exactly best k that were found among the k, over all queries: recall@k.
double recall(const Nearest& found, const Nearest& exact);

}  // namespace hasa
