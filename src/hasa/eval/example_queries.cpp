#include "hasa/eval/example_queries.h"

#include <ATen/ops/topk.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "hasa/eval/ranking.h"

namespace hasa {
namespace {

constexpr std::int64_t kPredicted = 3;
constexpr int kWorstOfARelation = 2;

/// `count` evenly spaced indices from `first` up to `last`.
void take_evenly(std::span<const std::size_t> sorted, std::size_t first, std::size_t last, std::size_t count,
                 ExampleKind kind, std::vector<ChosenQuery>& chosen) {
  const std::size_t width = last - first;
  for (std::size_t k = 0; k < count; ++k) chosen.push_back({kind, sorted[first + width * k / count]});
}

void take_worst(std::span<const RankedQuery> ranked, std::span<const std::size_t> sorted, std::size_t count,
                std::vector<ChosenQuery>& chosen) {
  std::map<RelationId, int> taken;
  for (std::size_t k = sorted.size(); k > 0 && count > 0; --k) {
    if (++taken[ranked[sorted[k - 1]].triple.relation] > kWorstOfARelation) continue;
    chosen.push_back({ExampleKind::worst, sorted[k - 1]});
    --count;
  }
}

std::string asked(const Graph& graph, const Triple& query) {
  const std::string given(graph.entity_name(query.head));
  const RelationId relations = graph.relations();
  return query.relation < relations
             ? fmt::format("({}, {}, ?)", given, graph.relation_text(query.relation))
             : fmt::format("(?, {}, {})", graph.relation_text(query.relation - relations), given);
}

/// The best of a row of scores, the other known answers out of the way: [entities] float32 on the CPU.
std::vector<std::string> best_names(torch::Tensor scores, const Graph& graph, const KnownAnswers& known,
                                    const Triple& query) {
  constexpr float kLeftOut = -std::numeric_limits<float>::infinity();
  scores = scores.clone();
  for (const EntityId tail : known.tails(query.head, query.relation)) {
    if (tail != query.tail) scores[tail] = kLeftOut;
  }
  const auto [values, entities] = at::topk(scores, std::min(kPredicted, scores.size(0)));
  std::vector<std::string> names;
  for (std::int64_t k = 0; k < entities.size(0); ++k) {
    if (values[k].item<float>() == kLeftOut) break;  // fewer rivals than places
    names.emplace_back(graph.entity_name(static_cast<EntityId>(entities[k].item<std::int64_t>())));
  }
  return names;
}

}  // namespace

std::vector<ChosenQuery> choose_examples(std::span<const RankedQuery> ranked, std::size_t of_each) {
  std::vector<std::size_t> sorted(ranked.size());
  std::iota(sorted.begin(), sorted.end(), std::size_t{0});
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](std::size_t a, std::size_t b) { return ranked[a].realistic() < ranked[b].realistic(); });
  const std::size_t n = sorted.size(), count = std::min(of_each, n / 3);
  std::vector<ChosenQuery> chosen;
  if (count == 0) return chosen;
  std::size_t first_rank = 0;  // how many share the best rank
  while (first_rank < n && ranked[sorted[first_rank]].realistic() == ranked[sorted[0]].realistic()) ++first_rank;
  take_evenly(sorted, 0, std::clamp(first_rank, count, n / 3), count, ExampleKind::best, chosen);
  const std::size_t middle = std::max(count, n / 10), from = (n - middle) / 2;
  take_evenly(sorted, from, from + middle, count, ExampleKind::typical, chosen);
  take_worst(ranked, std::span(sorted).subspan(from + middle), count, chosen);
  return chosen;
}

std::vector<ExampleQuery> example_queries(const Scorer& scorer, const Graph& graph, const KnownAnswers& known,
                                          std::span<const RankedQuery> ranked) {
  const std::vector<ChosenQuery> chosen = choose_examples(ranked);
  std::vector<Triple> queries;
  for (const ChosenQuery& one : chosen) queries.push_back(ranked[one.index].triple);
  std::vector<ExampleQuery> examples;
  for_each_scored(scorer, queries, {}, [&](const ScoredQueries& part) {
    const torch::Tensor scores = part.scores.to(torch::kCPU);
    for (std::size_t k = 0; k < part.queries.size(); ++k) {
      const Triple& query = part.queries[k];
      const ChosenQuery& from = chosen[examples.size()];
      examples.push_back({.kind = from.kind,
                          .asked = asked(graph, query),
                          .answer = std::string(graph.entity_name(query.tail)),
                          .rank = ranked[from.index].realistic(),
                          .predicted = best_names(scores[static_cast<std::int64_t>(k)], graph, known, query)});
    }
  });
  return examples;
}

}  // namespace hasa
