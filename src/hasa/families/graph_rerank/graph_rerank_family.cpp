#include "hasa/families/graph_rerank/graph_rerank_family.h"

#include <ATen/ops/tensor.h>
#include <fmt/format.h>

#include "hasa/base/error.h"
#include "hasa/eval/ranking.h"
#include "hasa/families/graph_rerank/graph_bonus.h"
#include "hasa/families/opening_bytes.h"
#include "hasa/families/run_parts.h"
#include "hasa/nn/tensor_file.h"

namespace hasa {
namespace {

constexpr const char* kRerankedEntry = "run";  // of the metadata
constexpr std::int64_t kAssumedDim = 768;      // of the other run's vectors: their number is its own affair

std::vector<PartRecord> reranked_run(const Run& run) {
  const TensorFile file = load_tensors(run / Run::kBest);
  return parts_in(file.metadata_at(kRerankedEntry), file.path.string());
}

}  // namespace

void check(const GraphRerankFamily& config, const torch::Device&) {
  HASA_CHECK(!config.model.run.empty(), config,
             "model.run is empty\nname a run folder, or a config file to train first");
  check_part(config.model.run, "model.run");
}

FitOutcome fit(const GraphRerankFamily& config, const TrainContext& context, const Run& run) {
  const std::vector<PartRecord> parts = prepare_parts({config.model.run}, run, context.train_run);
  if (parts.empty()) return {.finished = false, .validation = {}};
  run.put(Run::kBestFolder, [&](const std::filesystem::path& folder) {
    save_tensors(folder / "model.safetensors", {{"bonus", torch::tensor(static_cast<float>(config.model.bonus))}},
                 {{kRerankedEntry, to_json(parts)}});
  });
  const Graph& graph = context.graph;
  if (graph.triples(Split::valid).empty()) return {};
  const auto scorer = open_scorer(
      config, {.run = run, .graph = graph, .graph_folder = {}, .device = context.device, .open_run = context.open_run});
  const auto ranked = rank_split(*scorer, graph, KnownAnswers::of_all_splits(graph), Split::valid);
  return {.validation = scores_of(ranked, graph.relations())};
}

std::unique_ptr<Scorer> open_scorer(const GraphRerankFamily& config, const OpenContext& context) {
  std::vector<RunPart> parts = open_parts(reranked_run(context.run), context.run, context.open_run);
  return std::make_unique<GraphBonusScorer>(std::move(parts.at(0).scorer), context.graph, config.model.hops,
                                            config.model.bonus);
}

ModelFacts facts(const GraphRerankFamily& config) {
  const GraphRerankModelConfig& model = config.model;
  return {.name = fmt::format("another run ({}), re-ranked by graph distance", name_of_part(model.run)),
          .language_model = "as in the other run",
          .text_template = "as in the other run",
          .context = "as in the other run",
          .training_graph = fmt::format(
              "as in the other run, and which entities are within {} training edges of the query's", model.hops),
          .score = fmt::format("that of the other run, {:+g} for entities within {} training edges of the query's",
                               model.bonus, model.hops)};
}

std::vector<PartFacts> parts_of(const GraphRerankFamily&, const Run& run) {
  std::vector<PartFacts> facts;
  for (const PartRecord& part : reranked_run(run)) facts.push_back({part.name, part.sha256});
  return facts;
}

std::int64_t opening_bytes(const GraphRerankFamily&, const Run& run, const Graph& graph) {
  return bytes_of_vectors(Run::open(folder_of(reranked_run(run).at(0), run)), graph, kAssumedDim);
}

}  // namespace hasa
