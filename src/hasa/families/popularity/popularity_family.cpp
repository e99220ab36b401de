#include "hasa/families/popularity/popularity_family.h"

#include "hasa/families/grown_weights.h"
#include "hasa/families/opening_bytes.h"
#include "hasa/families/popularity/popularity_scorer.h"
#include "hasa/families/text_facts.h"
#include "hasa/nn/tensor_file.h"

namespace hasa {

void fit(const PopularityFamily& config, const TrainContext& context, const Run& run) {
  const Graph& graph = context.graph;
  torch::Tensor counts = answer_counts(graph.triples(Split::train), graph.entities(), graph.relations());
  if (!config.model.by_relation) counts = counts.sum(0, /*keepdim=*/true);
  run.put(Run::kBestFolder, [&](const std::filesystem::path& folder) {
    save_tensors(folder / "model.safetensors", {{"counts", counts}}, {});
  });
}

std::unique_ptr<Scorer> open_scorer(const PopularityFamily&, const OpenContext& context) {
  torch::Tensor counts = load_weights(context.run / Run::kBest).at("counts");
  // What came since it was counted has answered nothing.
  const std::int64_t directed = context.graph.num_directed_relations();
  if (counts.size(0) > 1) counts = with_new_relations(counts, directed, 0, torch::zeros({1, counts.size(1)}));
  const std::int64_t new_entities = context.graph.entities() - counts.size(1);
  if (new_entities > 0) counts = torch::cat({counts, torch::zeros({counts.size(0), new_entities})}, 1);
  return std::make_unique<PopularityScorer>(counts.to(context.device));
}

ModelFacts facts(const PopularityFamily& config) {
  return {.name = config.model.by_relation ? "how often an entity answered the relation in training"
                                           : "how often an entity answered anything in training",
          .language_model = "none",
          .text_template = kNoText,
          .context = "none",
          .training_graph = "counts of its answers",
          .score = "the count"};
}

std::int64_t opening_bytes(const PopularityFamily&, const Run& run, const Graph& graph) {
  return bytes_of_vectors(run, graph, /*dim=*/0);
}

}  // namespace hasa
