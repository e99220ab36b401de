#include "hasa/eval/ranking.h"

#include <algorithm>
#include <optional>

#include "hasa/base/error.h"
#include "hasa/base/progress.h"
#include "hasa/eval/query_sample.h"
#include "hasa/model/query_columns.h"
#include "hasa/ops/score/filtered_rank.h"

namespace hasa {
namespace {

/// Query vectors are computed this many at a time whatever the budget: a language model's
/// products may round differently in batches of another shape, and ranks must not depend on --memory.
constexpr std::size_t kQueriesPerChunk = 512;
constexpr std::int64_t kBytesPerScore = 6;  // itself, and what a product may want beside it

std::vector<Query> queries_of(std::span<const Triple> triples) {
  std::vector<Query> queries;
  queries.reserve(triples.size());
  for (const Triple& triple : triples) queries.push_back(query_of(triple));
  return queries;
}

}  // namespace

std::size_t queries_within(const Scorer& scorer, std::int64_t budget_bytes) {
  const ScoringCost cost = scorer.cost();
  const std::int64_t of_a_query = scorer.num_entities() * kBytesPerScore + cost.bytes_per_query;
  const std::int64_t fit = budget_bytes / std::max<std::int64_t>(1, of_a_query);
  const std::int64_t queries = fit < cost.block ? fit : fit / cost.block * cost.block;
  return std::clamp<std::size_t>(static_cast<std::size_t>(std::max<std::int64_t>(0, queries)), 1, kQueriesPerChunk);
}

void append_ranks(const torch::Tensor& scores, std::span<const Triple> queries, const KnownIndex& known,
                  std::vector<RankedQuery>& ranked) {
  const RankCounts counts = rank_from_scores(scores, columns_of(queries, scores.device()).tails, known.rows(queries));
  const std::size_t n = queries.size();
  const torch::Tensor all = torch::cat({counts.better, counts.equal, counts.known_better, counts.known_equal}).cpu();
  const auto* of = all.const_data_ptr<std::int64_t>();
  for (std::size_t i = 0; i < n; ++i) ranked.push_back({queries[i], of[i], of[n + i], of[2 * n + i], of[3 * n + i]});
}

std::int64_t least_ranking_bytes(const Scorer& scorer) {
  const ScoringCost cost = scorer.cost();
  return cost.block * (kBytesPerScore * scorer.num_entities() + cost.bytes_per_query);
}

void for_each_scored(const Scorer& scorer, std::span<const Triple> queries, const RankingOptions& options,
                     const std::function<void(const ScoredQueries&)>& visit) {
  const torch::NoGradGuard no_grad;
  const auto* with_vectors = dynamic_cast<const VectorScorer*>(&scorer);
  HASA_CHECK(with_vectors != nullptr || !options.on_queries, config,
             "this kind of model has no query and entity vectors: it scores them together");
  const std::size_t at_a_time = queries_within(scorer, options.budget_bytes);
  std::optional<Progress> progress;
  if (options.show_progress) progress.emplace("ranking", queries.size(), "queries");
  const auto show = [&](std::span<const Triple> part, const torch::Tensor& scores) {
    visit({part, columns_of(part, scorer.device()).tails, scores});
    if (progress) progress->advance(part.size());
  };
  while (!queries.empty()) {
    const auto chunk = queries.first(std::min(with_vectors != nullptr ? kQueriesPerChunk : at_a_time, queries.size()));
    queries = queries.subspan(chunk.size());
    if (with_vectors == nullptr) {
      show(chunk, scorer.scores(queries_of(chunk)));
      continue;
    }
    const torch::Tensor vectors = with_vectors->query_vectors(queries_of(chunk));
    if (options.on_queries) options.on_queries(chunk, vectors);
    for (std::size_t first = 0; first < chunk.size(); first += at_a_time) {
      const std::size_t count = std::min(at_a_time, chunk.size() - first);
      const auto begin = static_cast<std::int64_t>(first), end = static_cast<std::int64_t>(first + count);
      show(chunk.subspan(first, count), with_vectors->scores_from(vectors.slice(0, begin, end)));
    }
  }
}

std::vector<RankedQuery> rank_split(const Scorer& scorer, const Graph& graph, const KnownAnswers& known, Split split,
                                    const RankingOptions& options) {
  return rank_queries(scorer, queries_of(graph, split), known, options);
}

std::vector<RankedQuery> rank_queries(const Scorer& scorer, std::span<const Triple> queries, const KnownAnswers& known,
                                      const RankingOptions& options) {
  std::vector<RankedQuery> ranked;
  ranked.reserve(queries.size());
  const KnownIndex index(known, scorer.device());
  for_each_scored(scorer, queries, options, [&](const ScoredQueries& part) {
    append_ranks(part.scores, part.queries, index, ranked);
    if (options.on_ranked) options.on_ranked(part);
  });
  return ranked;
}

}  // namespace hasa
