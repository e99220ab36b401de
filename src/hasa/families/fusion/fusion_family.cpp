#include "hasa/families/fusion/fusion_family.h"

#include <fmt/format.h>

#include "hasa/base/error.h"
#include "hasa/families/fusion/fusion_scorer.h"
#include "hasa/families/grown_weights.h"
#include "hasa/families/opening_bytes.h"
#include "hasa/families/run_parts.h"
#include "hasa/families/text_facts.h"
#include "hasa/nn/tensor_file.h"

namespace hasa {
namespace {

constexpr const char* kPartsEntry = "parts";  // of the metadata
constexpr std::int64_t kGuessedDim = 512;     // of a part's vectors: their number is the part's own affair

std::vector<PartRecord> parts_of_file(const TensorFile& file) {
  return parts_in(file.metadata_at(kPartsEntry), file.path.string());
}

}  // namespace

void check(const FusionFamily& config, const torch::Device&) { check_parts(config.model.parts); }

FitOutcome fit(const FusionFamily& config, const TrainContext& context, const Run& run) {
  HASA_CHECK(!context.graph.triples(Split::valid).empty(), data,
             "a fusion is fitted on validation answers, and the graph has no validation triples\nimport it with some");
  const std::vector<PartRecord> parts = prepare_parts(config.model.parts, run, context.train_run);
  if (parts.empty()) return {.finished = false, .validation = {}};
  const FusionFeatures features(open_parts(parts, run, context.open_run), context.graph, config.model);
  const FittedFusion fitted = fit_fusion(features, context.graph, config.fit, context.seed);
  save_tensors(run / Run::kBest, {{"weights", fitted.weights.all}, {"without", fitted.weights.without}},
               {{kPartsEntry, to_json(parts)}});
  return {.validation = fitted.validation};
}

std::unique_ptr<Scorer> open_scorer(const FusionFamily& config, const OpenContext& context) {
  const TensorFile file = load_tensors(context.run / Run::kBest);
  FusionFeatures features(open_parts(parts_of_file(file), context.run, context.open_run), context.graph, config.model);
  const std::int64_t relations = context.graph.num_directed_relations(), terms = features.num_features();
  // A relation that came since the fit gets the weights that relations have on average.
  const auto fitted = [&](const char* name, std::int64_t dim) {
    const torch::Tensor& stored = file.at(name);
    if (stored.dim() <= dim || stored.size(dim) == relations) return stored;
    return with_new_relations(stored, relations, dim, stored.mean(dim, /*keepdim=*/true));
  };
  const FittedWeights weights{fitted("weights", 0), fitted("without", 1)};
  HASA_CHECK(weights.all.sizes() == (std::vector<std::int64_t>{relations, terms}) &&
                 weights.without.sizes() ==
                     (std::vector<std::int64_t>{static_cast<std::int64_t>(features.num_parts()), relations, terms}),
             data, "{}: the weights do not match its parts and config\nrun hasa fuse again", file.path.string());
  return std::make_unique<FusionScorer>(std::move(features), weights);
}

ModelFacts facts(const FusionFamily& config) {
  const FusionModelConfig& model = config.model;
  std::string terms =
      model.dynamic ? "scores standardised per query, and times their spread" : "scores standardised per query";
  if (model.frequency) terms += "; how often the candidate answered the relation in training";
  if (model.linked) terms += "; whether training links the two (an artefact on a graph without linked test pairs)";
  return {.name = fmt::format("a fusion of {} runs", model.parts.size()),
          .language_model = "as in its parts",
          .text_template = "as in its parts",
          .context = "as in its parts",
          .training_graph =
              "as in its parts; weights are fitted on validation answers, so its validation metrics are the "
              "cross-fitted ones in metrics.jsonl, not those of ranking again",
          .score = fmt::format("weighted sum{}: {}",
                               config.fit.by_relation ? ", weights by relation and direction" : "", terms)};
}

std::vector<PartFacts> parts_of(const FusionFamily&, const Run& run) {
  std::vector<PartFacts> facts;
  for (const PartRecord& part : parts_of_file(load_tensors(run / Run::kBest)))
    facts.push_back({part.name, part.sha256});
  return facts;
}

std::int64_t opening_bytes(const FusionFamily&, const Run& run, const Graph& graph) {
  std::int64_t bytes = 0;
  for (const PartRecord& part : parts_of_file(load_tensors(run / Run::kBest)))
    bytes += bytes_of_vectors(Run::open(folder_of(part, run)), graph, kGuessedDim);
  return bytes;
}

}  // namespace hasa
