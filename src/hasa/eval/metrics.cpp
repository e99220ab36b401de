#include "hasa/eval/metrics.h"

#include <fmt/format.h>

#include <vector>

#include "hasa/eval/metrics_json.h"

namespace hasa {

Metrics metrics_of(std::span<const RankedQuery> ranked, TieRule ties, Rivals rivals) {
  Metrics m;
  m.queries = static_cast<std::int64_t>(ranked.size());
  if (ranked.empty()) return m;
  for (const RankedQuery& query : ranked) {
    const double rank = query.rank(ties, rivals);
    m.mean_rank += rank;
    m.mrr += 1 / rank;
    m.hits_at_1 += rank <= 1 ? 1 : 0;
    m.hits_at_3 += rank <= 3 ? 1 : 0;
    m.hits_at_10 += rank <= 10 ? 1 : 0;
  }
  for (double* sum : {&m.mean_rank, &m.mrr, &m.hits_at_1, &m.hits_at_3, &m.hits_at_10}) {
    *sum /= static_cast<double>(ranked.size());
  }
  return m;
}

Scores scores_of(std::span<const RankedQuery> ranked, RelationId relations) {
  std::vector<RankedQuery> tails, heads;
  for (const RankedQuery& query : ranked) (query.triple.relation < relations ? tails : heads).push_back(query);
  return {metrics_of(ranked), metrics_of(tails), metrics_of(heads)};
}

std::string to_json(const Scores& scores) { return json_of(scores).dump(2); }

}  // namespace hasa
