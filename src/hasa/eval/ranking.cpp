#include "hasa/eval/ranking.h"

#include <algorithm>
#include <optional>

#include "hasa/base/progress.h"
#include "hasa/model/query_columns.h"
#include "hasa/ops/filtered_rank.h"

namespace hasa {
namespace {

constexpr std::size_t kQueriesPerChunk = 4096;
constexpr std::int64_t kBytesPerScore = 6;  // itself, and what a product may want beside it

/// As many queries as their vectors leave room for; at least one.
std::size_t chunk_size(std::size_t rest, std::int64_t dim, std::int64_t bytes) {
  const auto fit = static_cast<std::size_t>(std::max<std::int64_t>(1, bytes / (16 * dim + 64)));
  return std::min({rest, fit, kQueriesPerChunk});
}

void append_ranks(const ScoredQueries& part, const KnownIndex& known, std::vector<RankedQuery>& ranked) {
  const RankCounts counts = rank_from_scores(part.scores, part.targets, known.rows(part.queries));
  const std::size_t n = part.queries.size();
  const torch::Tensor all = torch::cat({counts.better, counts.equal, counts.known_better, counts.known_equal}).cpu();
  const auto* of = all.const_data_ptr<std::int64_t>();
  for (std::size_t i = 0; i < n; ++i) {
    ranked.push_back({part.queries[i], of[i], of[n + i], of[2 * n + i], of[3 * n + i]});
  }
}

}  // namespace

std::int64_t least_ranking_bytes(std::int64_t entities) { return 2 * kBytesPerScore * entities; }

void for_each_scored(const Scorer& scorer, std::span<const Triple> queries, const RankingOptions& options,
                     const std::function<void(const ScoredQueries&)>& visit) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor& entities = scorer.entities();
  const std::int64_t row_bytes = std::max<std::int64_t>(1, entities.size(0)) * kBytesPerScore;
  const auto rows = static_cast<std::size_t>(std::max<std::int64_t>(1, options.budget_bytes / 4 * 3 / row_bytes));
  std::optional<Progress> progress;
  if (options.show_progress) progress.emplace("ranking", queries.size(), "queries");
  while (!queries.empty()) {
    const auto chunk = queries.first(chunk_size(queries.size(), entities.size(1), options.budget_bytes / 4));
    queries = queries.subspan(chunk.size());
    const QueryColumns columns = columns_of(chunk, scorer.device());
    const torch::Tensor vectors = scorer.queries(columns.heads, columns.relations);
    if (options.on_queries) options.on_queries(chunk, vectors);
    for (std::size_t first = 0; first < chunk.size(); first += rows) {
      const std::size_t count = std::min(rows, chunk.size() - first);
      const auto begin = static_cast<std::int64_t>(first), end = static_cast<std::int64_t>(first + count);
      const torch::Tensor scores = scorer.scores(vectors.slice(0, begin, end));
      visit({chunk.subspan(first, count), columns.tails.slice(0, begin, end), scores});
      if (progress) progress->advance(count);
    }
  }
}

std::vector<RankedQuery> rank_split(const Scorer& scorer, const Graph& graph, const KnownAnswers& known, Split split,
                                    const RankingOptions& options) {
  const std::vector<Triple> queries = with_inverses(graph.triples(split), graph.relations());
  std::vector<RankedQuery> ranked;
  ranked.reserve(queries.size());
  const KnownIndex index(known, scorer.device());
  for_each_scored(scorer, queries, options, [&](const ScoredQueries& part) { append_ranks(part, index, ranked); });
  return ranked;
}

}  // namespace hasa
