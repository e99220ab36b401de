#include "hasa/families/star_ensemble/star_ensemble_family.h"

#include <fmt/format.h>

#include "hasa/base/error.h"
#include "hasa/families/opening_bytes.h"
#include "hasa/families/run_parts.h"
#include "hasa/nn/tensor_file.h"

namespace hasa {
namespace {

constexpr const char* kEnsembleParts = "parts";  // of the metadata
constexpr std::int64_t kUsualDim = 768;          // of a part's vectors: their number is the part's own affair

std::vector<PartRecord> ensemble_parts(const Run& run) {
  const TensorFile file = load_tensors(run / Run::kBest);
  std::vector<PartRecord> parts = parts_in(file.metadata_at(kEnsembleParts), file.path.string());
  HASA_CHECK(parts.size() == 2, data, "{} names {} parts where an ensemble has two\ntrain it again", file.path.string(),
             parts.size());
  return parts;
}

EnsembleScorer open_ensemble(const std::vector<PartRecord>& records, const Run& run, const RunOpener& open,
                             const Graph& graph, std::int64_t top) {
  std::vector<RunPart> parts = open_parts(records, run, open);
  const torch::Device device = parts[0].scorer->device();
  return {std::move(parts[0].scorer), std::move(parts[1].scorer), graph, top, AdaptiveWeight::zero(top, device)};
}

}  // namespace

void check(const StarEnsembleFamily& config, const torch::Device&) {
  check_parts(config.model.parts);
  HASA_CHECK(config.model.parts.size() == 2, config,
             "model.parts names {} runs, but an ensemble has two: a text run, then a graph run\nfor other numbers of "
             "runs use model.type=fusion",
             config.model.parts.size());
}

FitOutcome fit(const StarEnsembleFamily& config, const TrainContext& context, const Run& run) {
  const std::vector<PartRecord> parts = prepare_parts(config.model.parts, run, context.train_run);
  if (parts.empty()) return {.finished = false, .validation = {}};
  EnsembleScorer scorer = open_ensemble(parts, run, context.open_run, context.graph, config.model.top);
  const FittedEnsemble fitted = fit_ensemble(scorer, context.graph, config.fit);
  run.put(Run::kBestFolder, [&](const std::filesystem::path& folder) {
    save_tensors(folder / "model.safetensors", {{"weight", fitted.weight.weight}, {"bias", fitted.weight.bias}},
                 {{kEnsembleParts, to_json(parts)}});
  });
  return {.validation = fitted.validation};
}

std::unique_ptr<Scorer> open_scorer(const StarEnsembleFamily& config, const OpenContext& context) {
  const TensorFile file = load_weights(context.run / Run::kBest);
  auto scorer = std::make_unique<EnsembleScorer>(
      open_ensemble(ensemble_parts(context.run), context.run, context.open_run, context.graph, config.model.top));
  HASA_CHECK(file.at("weight").numel() == 4 * scorer->top(), data,
             "{}: the weights do not match its config\ntrain it again", file.path.string());
  scorer->set_weight({file.at("weight").to(scorer->device()), file.at("bias").to(scorer->device())});
  return scorer;
}

ModelFacts facts(const StarEnsembleFamily& config) {
  return {.name = "a self-adaptive ensemble of a text run and a graph run, after StAR",
          .language_model = "as in its parts",
          .text_template = "as in its parts",
          .context = "as in its parts",
          .training_graph =
              "as in its parts; the weight is fitted on validation answers, so its validation metrics are the "
              "cross-fitted ones in metrics.jsonl, not those of ranking again",
          .score = fmt::format(
              "alpha times the text run's score plus 1 - alpha times the graph run's, each scaled to [0, 1] per query; "
              "alpha is predicted from the text run's top {}, and is 1 if the given entity has no training edge",
              config.model.top)};
}

std::vector<PartFacts> parts_of(const StarEnsembleFamily&, const Run& run) {
  std::vector<PartFacts> facts;
  for (const PartRecord& part : ensemble_parts(run)) facts.push_back({part.name, part.sha256});
  return facts;
}

std::int64_t opening_bytes(const StarEnsembleFamily&, const Run& run, const Graph& graph) {
  std::int64_t bytes = 0;
  for (const PartRecord& part : ensemble_parts(run))
    bytes += bytes_of_vectors(Run::open(folder_of(part, run)), graph, kUsualDim);
  return bytes;
}

}  // namespace hasa
