#pragma once

#include <torch/types.h>

#include "hasa/base/config.h"
#include "hasa/ops/core/ragged_ids.h"

namespace hasa {

struct InfoNceConfig {
  double margin = 0.02;

  template <class Visitor>
  static void fields(Visitor& field) {
    field("margin", &InfoNceConfig::margin, "subtracted from the positive's score in training", Range{0, 10});
  }
};

/// Queries against every entity of the graph.
struct AllEntitiesBatch {
  torch::Tensor queries;   // [queries, dim] float32
  torch::Tensor entities;  // [entities, dim] float32
  torch::Tensor scale;     // [] float32: scores are scale * query . entity
  torch::Tensor positive;  // [queries] int64, the answer of each
  RaggedIds excluded;      // row q: distinct entities excluded from the negatives of query q; may include its answer
};

/// Simple InfoNCE with all entities as candidates, mean over the queries:
///
///   softplus(lse_j scale s_j - scale (p - margin)),   j over the entities that are neither positive nor excluded
///
/// Safe for scores of any size; a query whose entities are all excluded has loss 0. Gradients reach queries,
/// entities and scale, but not the scale of the margin. They are computed with the loss, a block of queries at a time,
/// so no more than `workspace_bytes` of scores is ever held.
torch::Tensor info_nce_over_all(const AllEntitiesBatch& batch, const InfoNceConfig& config,
                                std::int64_t workspace_bytes = std::int64_t{256} << 20);

/// The reference: the formula as written, in double, differentiable by autograd.
torch::Tensor info_nce_over_all_reference(const AllEntitiesBatch& batch, const InfoNceConfig& config);

}  // namespace hasa
