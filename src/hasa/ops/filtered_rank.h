#pragma once

#include <torch/types.h>

#include "hasa/ops/ragged_ids.h"

namespace hasa {

struct RankCounts {
  torch::Tensor better;  // [queries] int64
  torch::Tensor equal;   // [queries] int64
};

/// Where targets stand among all entities, known answers left out.
///
///   better[q] = #{ e not in known(q), e != target q : score(q, e) > score(q, target q) }
///   equal[q]  = #{ e not in known(q), e != target q : score(q, e) == score(q, target q) }
///
/// with score(q, e) = queries[q] . entities[e]. Optimistic rank = better + 1, pessimistic = better + equal + 1,
/// realistic = their mean.
///
/// queries [q, d], entities [n, d]: float32 on one device, products in full float32; the target's score is
/// taken from the same product as its rivals', so that a tie is a tie. targets [q] int64. known: rows of
/// distinct entity ids, which may hold the target. Scores are held for as many queries at a time as fit
/// `budget_bytes` (at least one). Deterministic. Throws numeric when a target's score is not a number: a model
/// that has diverged has no ranks.
RankCounts filtered_rank(const torch::Tensor& queries, const torch::Tensor& entities, const torch::Tensor& targets,
                         const RaggedIds& known, std::int64_t budget_bytes);

/// The same from scores already computed, [q, n] float32.
RankCounts rank_from_scores(const torch::Tensor& scores, const torch::Tensor& targets, const RaggedIds& known);

/// The obvious double loop.
RankCounts rank_from_scores_reference(const torch::Tensor& scores, const torch::Tensor& targets,
                                      const RaggedIds& known);

}  // namespace hasa
