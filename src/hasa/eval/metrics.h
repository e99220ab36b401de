#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "hasa/eval/ranked_query.h"
#include "hasa/page/number.h"

namespace hasa {

/// Metrics of a set of ranks.
struct Metrics {
  std::int64_t queries = 0;
  double mean_rank = 0;
  double mrr = 0;  // mean of 1 / rank
  double hits_at_1 = 0, hits_at_3 = 0, hits_at_10 = 0;
};

/// Headline metrics are realistic and filtered: a tie counts as the mean of its best and worst rank.
Metrics metrics_of(std::span<const RankedQuery> ranked, TieRule ties = TieRule::realistic,
                   Rivals rivals = Rivals::filtered);

/// Both directions together, and each separately.
struct Scores {
  Metrics all, tails, heads;
};

/// `relations` distinguishes head queries (relation >= relations) from tail queries.
Scores scores_of(std::span<const RankedQuery> ranked, RelationId relations);

/// One JSON object: {"all": {"mrr": ..., "mr": ..., "hits@1": ...}, "tails": {...}, "heads": {...}}.
std::string to_json(const Scores& scores);

}  // namespace hasa
