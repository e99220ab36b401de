#include "hasa/eval/report.h"

#include <bit>

#include "hasa/eval/chance.h"

namespace hasa {
namespace {

std::vector<RankedQuery> of_direction(std::span<const RankedQuery> ranked, RelationId relations, bool tails) {
  std::vector<RankedQuery> some;
  for (const RankedQuery& query : ranked) {
    if ((query.triple.relation < relations) == tails) some.push_back(query);
  }
  return some;
}

std::vector<std::int64_t> rank_histogram(std::span<const RankedQuery> ranked) {
  std::vector<std::int64_t> counts;
  for (const RankedQuery& query : ranked) {
    const auto bucket = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(query.realistic())) - 1);
    if (bucket >= counts.size()) counts.resize(bucket + 1, 0);
    ++counts[bucket];
  }
  return counts;
}

}  // namespace

Report make_report(std::span<const RankedQuery> ranked, const Graph& graph, const ReportOptions& options) {
  Report report;
  const RelationId relations = graph.relations();
  report.scores = scores_of(ranked, relations);
  report.all = bootstrap(ranked, relations, options.bootstrap);
  report.tails = bootstrap(of_direction(ranked, relations, true), relations, options.bootstrap);
  report.heads = bootstrap(of_direction(ranked, relations, false), relations, options.bootstrap);
  for (const Rivals rivals : {Rivals::filtered, Rivals::raw}) {
    for (const TieRule ties : {TieRule::optimistic, TieRule::realistic, TieRule::pessimistic})
      report.rules.push_back({ties, rivals, metrics_of(ranked, ties, rivals)});
  }
  report.histogram = rank_histogram(ranked);
  report.chance = chance_metrics(graph.entities(), report.scores.all.queries);
  report.novelty = by_novelty(ranked, graph, options.bootstrap);
  if (options.breakdowns) report.breakdowns = break_down(ranked, graph, options.bootstrap);
  return report;
}

Floor make_floor(std::string name, std::span<const RankedQuery> ranked, const Graph& graph) {
  return {std::move(name), metrics_of(ranked), break_down(ranked, graph, {.resamples = 1})};
}

std::string to_string(TieRule ties) {
  return ties == TieRule::optimistic ? "optimistic" : ties == TieRule::realistic ? "realistic" : "pessimistic";
}

std::string to_string(Rivals rivals) { return rivals == Rivals::filtered ? "filtered" : "raw"; }

}  // namespace hasa
