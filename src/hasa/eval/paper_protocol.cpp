#include "hasa/eval/paper_protocol.h"

#include <algorithm>
#include <cmath>

#include "hasa/base/error.h"
#include "hasa/eval/metrics.h"

namespace hasa {
namespace {

const double kLogTolerance = std::log(0.001);

/// A triple, its inverse, the next triple, its inverse, ...
std::vector<Triple> first_queries(const Graph& graph, Split split) {
  std::vector<Triple> queries;
  for (const Triple& triple : graph.triples(split)) {
    if (queries.size() == kPaperQueries) break;
    queries.push_back(triple);
    queries.push_back(inverse(triple, graph.relations()));
  }
  return queries;
}

/// Known answers and the head itself, never the target.
std::vector<EntityId> no_candidates(const Triple& query, const KnownAnswers& known) {
  const auto answers = known.tails(query.head, query.relation);
  std::vector<EntityId> out(answers.begin(), answers.end());
  if (!std::binary_search(out.begin(), out.end(), query.head)) out.push_back(query.head);
  std::erase(out, query.tail);
  return out;
}

}  // namespace

double paper_threshold(double score) {
  return std::max(score, kLogTolerance) + std::log1p(std::exp(-std::abs(score - kLogTolerance)));
}

std::vector<RankedQuery> rank_as_the_paper(const Scorer& scorer, const Graph& graph, const KnownAnswers& known,
                                           Split split, const RankingOptions& options) {
  const std::vector<Triple> queries = first_queries(graph, split);
  std::vector<RankedQuery> ranked;
  for_each_scored(scorer, queries, options, [&](const ScoredQueries& part) {
    const torch::Tensor scores = part.scores.cpu().contiguous();
    const auto entities = static_cast<std::size_t>(scores.size(1));
    for (std::size_t i = 0; i < part.queries.size(); ++i) {
      const Triple& query = part.queries[i];
      const std::span<const float> row(scores.const_data_ptr<float>() + i * entities, entities);
      const float target = row[static_cast<std::size_t>(query.tail)];
      HASA_CHECK(!std::isnan(target), numeric, "a target's score is NaN: the model has diverged");
      const double threshold = paper_threshold(target);
      const auto outranks = [&](float score) { return score > threshold; };
      std::int64_t better = std::count_if(row.begin(), row.end(), outranks);
      for (const EntityId out : no_candidates(query, known)) better -= outranks(row[static_cast<std::size_t>(out)]);
      ranked.push_back({query, better, 0});
    }
  });
  return ranked;
}

PaperScores paper_scores(std::span<const RankedQuery> ranked) {
  const Metrics m = metrics_of(ranked);
  return {m.queries, ranked.empty() ? 0 : m.mean_rank - 1, m.mrr, m.hits_at_1, m.hits_at_3, m.hits_at_10};
}

}  // namespace hasa
