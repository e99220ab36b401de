#include "hasa/eval/ranking.h"

#include <algorithm>
#include <optional>

#include "hasa/base/progress.h"
#include "hasa/model/query_columns.h"
#include "hasa/ops/filtered_rank.h"
#include "hasa/ops/full_scores.h"

namespace hasa {
namespace {

constexpr std::size_t kQueriesPerChunk = 4096;
constexpr std::int64_t kBytesPerScore = 6;   // itself, and a flag or two while counting
constexpr std::int64_t kBytesPerKnown = 48;  // its id, its row, and what is gathered for it

/// As many queries as their vectors and known answers leave room for; at least one.
std::size_t chunk_size(std::span<const Triple> rest, const KnownAnswers& known, std::int64_t dim, std::int64_t bytes) {
  const std::size_t most = std::min(rest.size(), kQueriesPerChunk);
  std::int64_t used = 0;
  for (std::size_t i = 0; i < most; ++i) {
    const auto answers = static_cast<std::int64_t>(known.tails(rest[i].head, rest[i].relation).size());
    used += kBytesPerKnown * answers + 16 * dim + 64;
    if (used > bytes) return std::max<std::size_t>(1, i);
  }
  return most;
}

const std::int64_t* values(const torch::Tensor& counts) { return counts.const_data_ptr<std::int64_t>(); }

void append_ranks(const ScoredQueries& part, const KnownAnswers& known, std::vector<RankedQuery>& ranked) {
  const RankCounts counts =
      rank_from_scores(part.scores, part.targets, known_rows(known, part.queries).to(part.scores.device()));
  const torch::Tensor better = counts.better.cpu(), equal = counts.equal.cpu();
  const torch::Tensor known_better = counts.known_better.cpu(), known_equal = counts.known_equal.cpu();
  for (std::size_t i = 0; i < part.queries.size(); ++i) {
    ranked.push_back(
        {part.queries[i], values(better)[i], values(equal)[i], values(known_better)[i], values(known_equal)[i]});
  }
}

}  // namespace

std::int64_t least_ranking_bytes(std::int64_t entities) { return 2 * kBytesPerScore * entities; }

void for_each_scored(const Scorer& scorer, const KnownAnswers& known, std::span<const Triple> queries,
                     const RankingOptions& options, const std::function<void(const ScoredQueries&)>& visit) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor& entities = scorer.entities();
  const std::int64_t row_bytes = std::max<std::int64_t>(1, entities.size(0)) * kBytesPerScore;
  const auto rows = static_cast<std::size_t>(std::max<std::int64_t>(1, options.budget_bytes / 4 * 3 / row_bytes));
  std::optional<Progress> progress;
  if (options.show_progress) progress.emplace("ranking", queries.size(), "queries");
  while (!queries.empty()) {
    const auto chunk = queries.first(chunk_size(queries, known, entities.size(1), options.budget_bytes / 4));
    queries = queries.subspan(chunk.size());
    const QueryColumns columns = columns_of(chunk, scorer.device());
    const torch::Tensor vectors = scorer.queries(columns.heads, columns.relations);
    if (options.on_queries) options.on_queries(chunk, vectors);
    for (std::size_t first = 0; first < chunk.size(); first += rows) {
      const std::size_t count = std::min(rows, chunk.size() - first);
      const auto begin = static_cast<std::int64_t>(first), end = static_cast<std::int64_t>(first + count);
      const torch::Tensor scores = full_scores(vectors.slice(0, begin, end), entities);
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
  for_each_scored(scorer, known, queries, options,
                  [&](const ScoredQueries& part) { append_ranks(part, known, ranked); });
  return ranked;
}

}  // namespace hasa
