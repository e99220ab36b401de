#include "hasa/serve/index_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "hasa/base/error.h"
#include "hasa/base/log.h"
#include "hasa/base/memory.h"
#include "hasa/base/stopwatch.h"
#include "hasa/model/query.h"

namespace hasa {
namespace {

constexpr std::int64_t kNearest = 10, kQueriesOfABatch = 64;

/// Vectors of questions that users might ask: of the test split from both ends, else of training.
torch::Tensor trial_queries(const VectorScorer& scorer, const Graph& graph, std::int64_t count) {
  std::span<const Triple> from = graph.triples(Split::test);
  if (2 * std::ssize(from) < count) from = graph.triples(Split::train);
  std::vector<Query> queries;
  const auto all = with_inverses(from.first(std::min<std::size_t>(from.size(), static_cast<std::size_t>(count))),
                                 graph.relations());
  for (std::size_t i = 0; std::ssize(queries) < std::min<std::int64_t>(count, std::ssize(all)); ++i)
    queries.push_back(query_of(all[i * all.size() / static_cast<std::size_t>(count)]));
  const torch::NoGradGuard no_grad;
  return scorer.query_vectors(queries).to(torch::kCPU, torch::kFloat32).contiguous();
}

/// Times and recall of an index that is ready.
void ask_index(const EntityIndex& index, const torch::Tensor& queries, const Nearest& exact, IndexTrial& trial) {
  std::vector<double> each;
  index.nearest(queries.slice(0, 0, 1), kNearest);  // pages that are touched for the first time
  for (std::int64_t q = 0; q < queries.size(0); ++q) {
    const Stopwatch watch;
    index.nearest(queries.slice(0, q, q + 1), kNearest);
    each.push_back(1000 * watch.seconds());
  }
  std::sort(each.begin(), each.end());
  trial.median_ms = each[each.size() / 2];
  trial.slowest_ms = each[each.size() * 99 / 100];
  const Stopwatch watch;
  std::vector<torch::Tensor> found;
  for (const torch::Tensor& batch : queries.split(kQueriesOfABatch))
    found.push_back(index.nearest(batch, kNearest).entities);
  trial.batch_ms = 1000 * watch.seconds() / static_cast<double>(queries.size(0));
  trial.recall = recall({torch::cat(found), {}}, exact);
}

class IndexTrials {
 public:
  IndexTrials(const VectorScorer& scorer, const Graph& graph, std::filesystem::path folder,
              const IndexTrialOptions& options)
      : entities_(scorer.entities().to(torch::kCPU, torch::kFloat32).contiguous()),
        similarity_(scorer.similarity()),
        queries_(trial_queries(scorer, graph, options.queries)),
        exact_(exact_index(entities_, similarity_)->nearest(queries_, kNearest)),
        folder_(std::move(folder)),
        wanted_(options.wanted_recall) {}

  void exact() {
    IndexTrial trial{.name = "exact", .bytes = static_cast<std::int64_t>(entities_.nbytes())};
    ask_index(*exact_index(entities_, similarity_), queries_, exact_, trial);
    tell(trial);
  }
  void stored(VectorPrecision precision) {
    IndexTrial trial{.name = fmt::format("mapped, {}", to_string(precision))};
    const auto file = folder_ / fmt::format("entities-{}.vectors", to_string(precision));
    const Stopwatch watch;
    StoredVectors::write(file, entities_, similarity_, precision);
    trial.build_seconds = watch.seconds();
    trial.bytes = static_cast<std::int64_t>(std::filesystem::file_size(file));
    ask_index(StoredVectors(file), queries_, exact_, trial);
    tell(trial);
  }
  void faiss(IndexKind kind, VectorPrecision precision) {
    const char* name = kind == IndexKind::ivf ? "IVF" : "HNSW";
    IndexTrial trial{.name = fmt::format("{}, {}", name, to_string(precision))};
    const auto file = folder_ / fmt::format("entities-{}-{}.faiss", name, to_string(precision));
    const Stopwatch watch;
    const auto index = FaissIndex::build(entities_, similarity_, {.kind = kind, .precision = precision});
    trial.build_seconds = watch.seconds();
    tune(*index, queries_, exact_, wanted_);
    index->save(file);
    trial.bytes = static_cast<std::int64_t>(std::filesystem::file_size(file));
    trial.effort = index->effort();
    ask_index(*index, queries_, exact_, trial);
    tell(trial);
  }

  std::vector<IndexTrial> take() { return std::move(trials_); }

 private:
  void tell(const IndexTrial& trial) {
    log_info("{}: recall {:.3f}, {:.2f} ms a query", trial.name, trial.recall, trial.median_ms);
    trials_.push_back(trial);
  }

  torch::Tensor entities_;
  Similarity similarity_;
  torch::Tensor queries_;
  Nearest exact_;
  std::filesystem::path folder_;
  double wanted_;
  std::vector<IndexTrial> trials_;
};

}  // namespace

std::vector<IndexTrial> try_indexes(const VectorScorer& scorer, const Graph& graph,
                                    const std::filesystem::path& folder, const IndexTrialOptions& options) {
  IndexTrials trials(scorer, graph, folder, options);
  trials.exact();
  for (const VectorPrecision precision : options.precisions) trials.stored(precision);
  const bool known = scorer.similarity() == Similarity::dot || scorer.similarity() == Similarity::negative_l2;
  if (FaissIndex::is_built_in() && known) {
    for (const VectorPrecision precision : options.precisions) trials.faiss(IndexKind::ivf, precision);
    if (options.hnsw) trials.faiss(IndexKind::hnsw, VectorPrecision::f32);
  }
  return trials.take();
}

std::string to_table(std::span<const IndexTrial> trials) {
  std::string table = fmt::format("{:<14}{:>10}{:>11}{:>9}{:>11}{:>9}{:>12}{:>8}\n", "", "recall@10", "median ms",
                                  "p99 ms", "batch ms", "built s", "size", "looks at");
  for (const IndexTrial& t : trials)
    table += fmt::format("{:<14}{:>10.3f}{:>11.2f}{:>9.2f}{:>11.2f}{:>9.1f}{:>12}{:>8}\n", t.name, t.recall,
                         t.median_ms, t.slowest_ms, t.batch_ms, t.build_seconds, format_bytes(t.bytes),
                         t.effort == 0 ? "all" : std::to_string(t.effort));
  return table;
}

std::string to_json(std::span<const IndexTrial> trials) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const IndexTrial& t : trials)
    json.push_back({{"index", t.name},
                    {"recall@10", t.recall},
                    {"median_ms", t.median_ms},
                    {"p99_ms", t.slowest_ms},
                    {"batch_ms", t.batch_ms},
                    {"build_seconds", t.build_seconds},
                    {"bytes", t.bytes},
                    {"effort", t.effort}});
  return json.dump(2);
}

}  // namespace hasa
