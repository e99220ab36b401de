#pragma once

#include <span>
#include <vector>

#include "hasa/dist/comm.h"
#include "hasa/eval/ranking.h"

namespace hasa {

/// rank_queries by several processes, each of which ranks its share; all of them get all ranks. What the options hear
/// of is the share.
std::vector<RankedQuery> rank_together(const Scorer& scorer, std::span<const Triple> queries, const KnownAnswers& known,
                                       const RankingOptions& options, Comm& comm);

}  // namespace hasa
