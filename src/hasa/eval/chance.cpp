#include "hasa/eval/chance.h"

#include <algorithm>

namespace hasa {

Metrics chance_metrics(std::int64_t candidates, std::int64_t queries) {
  if (candidates == 0) return {.queries = queries};
  const auto n = static_cast<double>(candidates);
  const auto hits = [&](double k) { return std::min(1.0, k / n); };
  double reciprocals = 0;
  for (std::int64_t rank = candidates; rank > 0; --rank) reciprocals += 1 / static_cast<double>(rank);
  return {.queries = queries,
          .mean_rank = (n + 1) / 2,
          .mrr = reciprocals / n,
          .hits_at_1 = hits(1),
          .hits_at_3 = hits(3),
          .hits_at_10 = hits(10)};
}

}  // namespace hasa
