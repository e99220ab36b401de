#pragma once

#include <span>
#include <vector>

#include "hasa/dist/comm.h"
#include "hasa/eval/ranking.h"

namespace hasa {

/// rank_queries by several processes, each of which ranks its share; all of them get all ranks. What the options hear
/// of is the share. With a ShardedScorer each process compares the answers of all queries with its own entities
/// instead, and the counts are added up; the options then hear of nothing.
std::vector<RankedQuery> rank_together(const Scorer& scorer, std::span<const Triple> queries, const KnownAnswers& known,
                                       const RankingOptions& options, Comm& comm);

}  // namespace hasa
