#include "hasa/serve/run_index.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "hasa/base/error.h"
#include "hasa/base/file.h"
#include "hasa/base/hash.h"
#include "hasa/base/log.h"
#include "hasa/job/run_calibration.h"
#include "hasa/serve/index_trial.h"

namespace hasa {
namespace {

constexpr const char *kIndexFile = "index.faiss", *kAboutIndex = "index.json";
constexpr std::int64_t kNearestMeasured = 10;

std::string graph_stamp(const Graph& graph) { return std::to_string(graph.content_hash()); }

}  // namespace

RunIndex make_run_index(const Run& run, const Graph& graph, const VectorScorer& scorer,
                        const RunIndexOptions& options) {
  const torch::Tensor entities = scorer.entities().to(torch::kCPU, torch::kFloat32).contiguous();
  const torch::Tensor queries = trial_queries(scorer, graph, options.queries);
  const Nearest exact = exact_index(entities, scorer.similarity())->nearest(queries, kNearestMeasured);
  std::unique_ptr<FaissIndex> index = FaissIndex::build(entities, scorer.similarity(), options.faiss);
  RunIndex made{.recall = tune(*index, queries, exact, options.wanted_recall), .effort = index->effort()};
  AtomicFolder folder(run / kIndexFolder);
  index->save(folder.path() / kIndexFile);
  const nlohmann::ordered_json about{{"model", model_hash(run)},
                                     {"graph", graph_stamp(graph)},
                                     {"recall@10", made.recall},
                                     {"effort", made.effort},
                                     {"hash", std::to_string(hash_of_file(folder.path() / kIndexFile))}};
  write_file(folder.path() / kAboutIndex, about.dump(2) + "\n");
  folder.commit();
  made.index = std::move(index);
  return made;
}

std::optional<RunIndex> open_run_index(const Run& run, const Graph& graph) {
  const std::filesystem::path folder = run / kIndexFolder;
  std::error_code ignored;
  if (!std::filesystem::exists(folder / kAboutIndex, ignored)) return std::nullopt;
  try {
    const auto about = nlohmann::json::parse(read_file(folder / kAboutIndex));
    HASA_CHECK(about.at("model") == model_hash(run), data, "it is of another model than the run has now");
    // Those of older programs do not say of which graph they are; a run had one graph then.
    HASA_CHECK(about.value("graph", graph_stamp(graph)) == graph_stamp(graph), data, "the graph has grown since");
    // FAISS believes what it reads, so nothing else is handed to it.
    HASA_CHECK(about.at("hash") == std::to_string(hash_of_file(folder / kIndexFile)), data, "it was damaged");
    RunIndex opened{.recall = about.at("recall@10").get<double>(), .effort = about.at("effort").get<std::int64_t>()};
    opened.index = FaissIndex::open(folder / kIndexFile);
    HASA_CHECK(opened.index->size() == graph.entities(), data, "the graph has grown since");
    return opened;
  } catch (const std::exception& problem) {
    log_warning("{} is not used: {}\nhasa index makes it anew", folder.string(), problem.what());
    return std::nullopt;
  }
}

}  // namespace hasa
