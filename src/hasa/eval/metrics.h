#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "hasa/eval/ranking.h"

namespace hasa {

/// Over realistic ranks: a tie counts as the mean of its best and its worst place.
struct Metrics {
  std::int64_t queries = 0;
  double mean_rank = 0;
  double mrr = 0;  // mean of 1 / rank
  double hits_at_1 = 0, hits_at_3 = 0, hits_at_10 = 0;
};

Metrics metrics_of(std::span<const RankedQuery> ranked);

/// Both directions together, and each apart.
struct Scores {
  Metrics all, tails, heads;
};

/// `relations` tells head queries (relation >= relations) from tail queries.
Scores scores_of(std::span<const RankedQuery> ranked, RelationId relations);

/// One JSON object: {"all": {"mrr": ..., "mr": ..., "hits@1": ...}, "tails": {...}, "heads": {...}}.
std::string to_json(const Scores& scores);
/// A table for a terminal.
std::string to_table(const Scores& scores);
/// ".597", as the literature prints shares.
std::string format_share(double value);

}  // namespace hasa
