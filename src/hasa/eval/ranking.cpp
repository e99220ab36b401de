#include "hasa/eval/ranking.h"

#include <algorithm>
#include <optional>

#include "hasa/base/progress.h"
#include "hasa/model/query_columns.h"
#include "hasa/ops/filtered_rank.h"

namespace hasa {
namespace {

constexpr std::size_t kQueriesPerChunk = 4096;

std::vector<Triple> queries_of(const Graph& graph, Split split) {
  const auto triples = graph.triples(split);
  std::vector<Triple> queries(triples.begin(), triples.end());
  queries.reserve(2 * triples.size());
  for (const Triple& t : triples) queries.push_back(inverse(t, graph.relations()));
  return queries;
}

}  // namespace

std::vector<RankedQuery> rank_split(const Scorer& scorer, const Graph& graph, const KnownAnswers& known, Split split,
                                    const RankingOptions& options) {
  const torch::NoGradGuard no_grad;
  const std::vector<Triple> queries = queries_of(graph, split);
  std::optional<Progress> progress;
  if (options.show_progress) progress.emplace("ranking", queries.size(), "queries");
  std::vector<RankedQuery> ranked;
  ranked.reserve(queries.size());
  for (std::size_t first = 0; first < queries.size(); first += kQueriesPerChunk) {
    const std::span<const Triple> chunk(queries.data() + first, std::min(kQueriesPerChunk, queries.size() - first));
    const QueryColumns columns = columns_of(chunk, scorer.device());
    const RankCounts counts =
        filtered_rank(scorer.queries(columns.heads, columns.relations), scorer.entities(), columns.tails,
                      known_rows(known, chunk).to(scorer.device()), options.budget_bytes);
    const torch::Tensor better = counts.better.cpu(), equal = counts.equal.cpu();
    for (std::size_t i = 0; i < chunk.size(); ++i) {
      ranked.push_back({chunk[i], better.const_data_ptr<std::int64_t>()[i], equal.const_data_ptr<std::int64_t>()[i]});
    }
    if (progress) progress->advance(chunk.size());
  }
  return ranked;
}

}  // namespace hasa
