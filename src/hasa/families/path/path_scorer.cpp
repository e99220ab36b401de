#include "hasa/families/path/path_scorer.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <map>
#include <vector>

#include "hasa/model/query_columns.h"

namespace hasa {
namespace {

constexpr std::int64_t kCpuWorkspace = std::int64_t{512} << 20;
constexpr std::int64_t kGpuWorkspace = std::int64_t{4} << 30;
constexpr std::int64_t kMostQueries = 256;

}  // namespace

std::int64_t PathScorer::queries_at_once() const {
  const std::int64_t workspace = device().is_cpu() ? kCpuWorkspace : kGpuWorkspace;
  return std::clamp<std::int64_t>(workspace / std::max<std::int64_t>(1, model_.scoring_bytes(graph_)), 1, kMostQueries);
}

ScoringCost PathScorer::cost() const {
  return {.bytes_per_query = model_.scoring_bytes(graph_), .block = queries_at_once()};
}

torch::Tensor PathScorer::scores(std::span<const Query> queries) const {
  const at::NoGradGuard no_gradients;
  std::map<Query, std::int64_t> place;
  for (const Query& query : queries) place.try_emplace(query, 0);
  std::vector<Query> distinct;
  for (auto& [query, number] : place) {
    number = static_cast<std::int64_t>(distinct.size());
    distinct.push_back(query);
  }
  torch::Tensor scores = torch::empty({std::ssize(distinct), num_entities()}, torch::TensorOptions(device()));
  const std::int64_t block = queries_at_once();
  for (std::int64_t first = 0; first < std::ssize(distinct); first += block) {
    const auto count = std::min<std::int64_t>(block, std::ssize(distinct) - first);
    const QueryIds ids =
        ids_of(std::span(distinct).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)), device());
    const PathBatchPtr batch = make_path_batch(graph_, ids.given, {}, model_.config().layers);
    scores.slice(0, first, first + count).copy_(model_.scores(batch, ids.relations));
  }
  std::vector<std::int64_t> rows;
  for (const Query& query : queries) rows.push_back(place[query]);
  return scores.index_select(0, torch::tensor(rows, torch::kInt64).to(device()));
}

torch::Tensor PathScorer::scores_of(std::span<const Query> queries, const torch::Tensor& candidates) const {
  return scores(queries).gather(1, candidates);
}

}  // namespace hasa
