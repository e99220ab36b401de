#pragma once

#include <vector>

#include "hasa/eval/breakdown.h"
#include "hasa/eval/ranking.h"
#include "hasa/families/fusion/fusion_scorer.h"

namespace hasa {

/// The contribution of each part on a split: the metrics of the part alone, and of
/// the fusion refitted without it; over all queries, and by relation. One pass over the queries.
std::vector<Breakdown> parts_worth(const FusionScorer& fusion, const Graph& graph, Split split,
                                   const BootstrapOptions& options, std::int64_t budget_bytes);

}  // namespace hasa
