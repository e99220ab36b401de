#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "hasa/eval/ranked_query.h"
#include "hasa/kg/graph.h"
#include "hasa/kg/known_answers.h"
#include "hasa/model/query_columns.h"
#include "hasa/model/scorer.h"

namespace hasa {

struct ScoredQueries;

struct RankingOptions {
  std::int64_t budget_bytes = std::int64_t{512} << 20;  // of workspace: scores and query vectors of a block
  bool show_progress = false;
  /// Called with the vectors of each block of queries, [queries, dim], before they are ranked. Only for a VectorScorer.
  std::function<void(std::span<const Triple>, const torch::Tensor&)> on_queries;
  /// Called with the scores of each block of queries after they have been ranked.
  std::function<void(const ScoredQueries&)> on_ranked = {};
};

/// Ranks every triple of a split in both directions among all entities, with the known answers of all three splits
/// filtered except the one being ranked. First all tail queries in the order of the split, then all head queries.
/// Unseen entities are kept. Scores are true float32 (ops/score/full_scores.h), and the answer's comes from the same product
/// as its rivals', so that a tie is a tie.
std::vector<RankedQuery> rank_split(const Scorer& scorer, const Graph& graph, const KnownAnswers& known, Split split,
                                    const RankingOptions& options = {});

/// The same for given queries, in order.
std::vector<RankedQuery> rank_queries(const Scorer& scorer, std::span<const Triple> queries, const KnownAnswers& known,
                                      const RankingOptions& options = {});

/// The minimum workspace of ranking in bytes: one block of queries.
std::int64_t least_ranking_bytes(const Scorer& scorer);
/// How many queries fit the budget at a time: whole blocks of the scorer's preferred size, and at least one query.
std::size_t queries_within(const Scorer& scorer, std::int64_t budget_bytes);

/// Ranks the answers of some queries by scores [queries, entities] and adds them to `ranked`.
void append_ranks(const torch::Tensor& scores, std::span<const Triple> queries, const KnownIndex& known,
                  std::vector<RankedQuery>& ranked);

/// A block of queries with its scores, as large as a budget allows.
struct ScoredQueries {
  std::span<const Triple> queries;
  const torch::Tensor& targets;  // [queries] int64
  const torch::Tensor& scores;   // [queries, entities] float32
};

/// Calls visit over consecutive parts of the queries, all on the scorer's device.
void for_each_scored(const Scorer& scorer, std::span<const Triple> queries, const RankingOptions& options,
                     const std::function<void(const ScoredQueries&)>& visit);

}  // namespace hasa
