#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "hasa/eval/ranked_query.h"
#include "hasa/page/number.h"

namespace hasa {

/// What ranks come to, on average.
struct Metrics {
  std::int64_t queries = 0;
  double mean_rank = 0;
  double mrr = 0;  // mean of 1 / rank
  double hits_at_1 = 0, hits_at_3 = 0, hits_at_10 = 0;
};

/// The headline is realistic and filtered: a tie counts as the mean of its best and its worst place.
Metrics metrics_of(std::span<const RankedQuery> ranked, TieRule ties = TieRule::realistic,
                   Rivals rivals = Rivals::filtered);

/// Both directions together, and each apart.
struct Scores {
  Metrics all, tails, heads;
};

/// `relations` tells head queries (relation >= relations) from tail queries.
Scores scores_of(std::span<const RankedQuery> ranked, RelationId relations);

/// One JSON object: {"all": {"mrr": ..., "mr": ..., "hits@1": ...}, "tails": {...}, "heads": {...}}.
std::string to_json(const Scores& scores);

}  // namespace hasa
