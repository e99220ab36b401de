#pragma once

#include <torch/types.h>

#include "hasa/ops/core/ragged_ids.h"

namespace hasa {

struct RankCounts {
  torch::Tensor better;  // [queries] int64, as are the others
  torch::Tensor equal;
  torch::Tensor known_better;
  torch::Tensor known_equal;
};

/// The ranks of targets among all entities, with known answers counted separately.
///
///   better[q] = #{ e not in known(q), e != target q : score(q, e) > score(q, target q) }
///   equal[q]  = #{ e not in known(q), e != target q : score(q, e) == score(q, target q) }
///
/// and known_better, known_equal the same for e in known(q), e != target q. Filtered ranks: optimistic = better + 1,
/// pessimistic = better + equal + 1, realistic = their mean; raw ones with the known added.
///
/// scores [q, n] float32, as returned by full_scores: target and rivals come from one product, so that a tie is a tie.
/// targets [q] int64. known: rows of distinct entity ids, which may hold the target. Deterministic. On a GPU the scores
/// are read once, and the host synchronises once, at the end. Throws numeric if any score of a query is NaN, a rival's
/// as well as the target's: a diverged model has no ranks.
RankCounts rank_from_scores(const torch::Tensor& scores, const torch::Tensor& targets, const IdRanges& known);

/// The obvious double loop.
RankCounts rank_from_scores_reference(const torch::Tensor& scores, const torch::Tensor& targets, const IdRanges& known);

}  // namespace hasa
