#pragma once

#include <torch/types.h>

#include "hasa/ops/core/ragged_ids.h"

namespace hasa {

/// The best entities for each query, some left out.
///
///   row q = the k entities e not in excluded(q) with the highest score(q, e) = queries[q] . entities[e],
///           best first, of equal scores the smaller id first; -1 where fewer than k are left
///
/// queries [q, d], entities [n, d]: float32 with products in full float32, or bfloat16 with products of bfloat16
/// summed and compared in float32; on one device. excluded: rows of entity ids in any order, on that device; ids
/// that are no entities are an error on the CPU and passed over on a GPU.
/// Infinite scores are scores like others; one that is not a number is left out like the excluded.
///
/// At most `workspace_bytes` are taken for scores and what is made of them (at least one score's worth): as many
/// queries at a time as fit, and where not even one does, as many entities. Deterministic; the workspace can only
/// matter where the matrix product of another shape rounds differently. No gradient. On a GPU the host
/// does not wait unless k is above 16. Returns [q, k] int64.
torch::Tensor top_entities(const torch::Tensor& queries, const torch::Tensor& entities, const RaggedIds& excluded,
                           std::int64_t k, std::int64_t workspace_bytes);

/// All scores in double, then a sort.
torch::Tensor top_entities_reference(const torch::Tensor& queries, const torch::Tensor& entities,
                                     const RaggedIds& excluded, std::int64_t k);

}  // namespace hasa
