#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "hasa/eval/ranked_query.h"
#include "hasa/kg/graph.h"
#include "hasa/kg/known_answers.h"
#include "hasa/model/scorer.h"

namespace hasa {

struct RankingOptions {
  std::int64_t budget_bytes = std::int64_t{512} << 20;  // of workspace: scores and queries of a chunk
  bool show_progress = false;
  /// Sees the vectors of each chunk of queries, [queries, dim], before they are ranked.
  std::function<void(std::span<const Triple>, const torch::Tensor&)> on_queries;
};

/// Ranks every triple of a split in both directions among all entities, the known answers of all three splits
/// left out except the one being ranked. First all tail queries in the order of the split, then all head
/// queries. Unseen entities stay in. Scores are true float32 (ops/full_scores.h), and the answer's comes from the
/// same product as its rivals', so that a tie is a tie.
std::vector<RankedQuery> rank_split(const Scorer& scorer, const Graph& graph, const KnownAnswers& known, Split split,
                                    const RankingOptions& options = {});

/// Bytes of workspace that ranking one query takes; a smaller budget is exceeded to this.
std::int64_t least_ranking_bytes(std::int64_t entities);

/// A part of the queries with its scores, as much as a budget allows.
struct ScoredQueries {
  std::span<const Triple> queries;
  const torch::Tensor& targets;  // [queries] int64
  const torch::Tensor& scores;   // [queries, entities] float32
};

/// Calls visit over consecutive parts of the queries, all on the scorer's device.
void for_each_scored(const Scorer& scorer, std::span<const Triple> queries, const RankingOptions& options,
                     const std::function<void(const ScoredQueries&)>& visit);

}  // namespace hasa
