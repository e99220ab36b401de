#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hasa/families/family.h"
#include "hasa/families/star_ensemble/ensemble_fit.h"

namespace hasa {

struct StarEnsembleModelConfig {
  std::vector<std::string> parts;
  std::int64_t top = 100;

  template <class Visitor>
  static void fields(Visitor& field) {
    using C = StarEnsembleModelConfig;
    field(
        "parts", &C::parts,
        "two run folders, or config files, which are trained first, into RUN/parts: the text run, then the graph run");
    field("top", &C::top, "how many of the text run's best candidates the weight is predicted from", Range{1, 100000});
  }
};

/// StAR's self-adaptive ensemble: a text run and a graph run, weighted for each query.
struct StarEnsembleFamily {
  static constexpr const char* kTag = "star_ensemble";
  static constexpr const char* kDoc =
      "StAR's self-adaptive ensemble: a text run and a graph run, weighted for each query by their scores of its best "
      "candidates";

  StarEnsembleModelConfig model;
  EnsembleFitConfig fit;

  template <class Visitor>
  static void fields(Visitor& field) {
    field("model", &StarEnsembleFamily::model, "the runs to combine");
    field("fit", &StarEnsembleFamily::fit, "how the weight is fitted");
  }
};

void check(const StarEnsembleFamily& config, const torch::Device& device);
/// Trains or resumes the parts that are config files,
/// then fits the weight. The validation metrics are cross-fitted.
FitOutcome fit(const StarEnsembleFamily& config, const TrainContext& context, const Run& run);
std::unique_ptr<Scorer> open_scorer(const StarEnsembleFamily& config, const OpenContext& context);
ModelFacts facts(const StarEnsembleFamily& config);
std::vector<PartFacts> parts_of(const StarEnsembleFamily& config, const Run& run);
std::int64_t opening_bytes(const StarEnsembleFamily& config, const Run& run, const Graph& graph);

}  // namespace hasa
