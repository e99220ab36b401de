#pragma once

#include <string>
#include <vector>

#include "hasa/families/family.h"
#include "hasa/families/fusion/fusion_features.h"
#include "hasa/families/fusion/fusion_fit.h"

namespace hasa {

struct FusionModelConfig : FusionTerms {
  std::vector<std::string> parts;

  template <class Visitor>
  static void fields(Visitor& field) {
    using C = FusionModelConfig;
    field("parts", &C::parts,
          "run folders and config files; config files are trained first, in order, into RUN/parts; in them {parts} in "
          "language_model.path stands for that folder, so that one part can build on another");
    field("dynamic", &C::dynamic, "the weight of a part also depends on the spread of its scores for the query");
    field("frequency", &C::frequency, "add a term for how often a candidate answered the relation in training");
    field("linked", &C::linked,
          "add a term for whether any training triple links the two entities; on a benchmark built without such test "
          "pairs, such as FB15k-237, it only measures how the benchmark was built");
  }
};

/// A weighted combination of other runs, fitted on the validation split.
struct FusionFamily {
  static constexpr const char* kTag = "fusion";
  static constexpr const char* kDoc =
      "a combination of runs: a weighted sum of their scores, fitted on the validation split";

  FusionModelConfig model;
  FusionFitConfig fit;

  template <class Visitor>
  static void fields(Visitor& field) {
    field("model", &FusionFamily::model, "the runs to combine");
    field("fit", &FusionFamily::fit, "how the weights are fitted");
  }
};

void check(const FusionFamily& config, const torch::Device& device);
/// Trains or resumes the parts that are config files,
/// then fits the weights. The validation metrics are cross-fitted.
FitOutcome fit(const FusionFamily& config, const TrainContext& context, const Run& run);
std::unique_ptr<Scorer> open_scorer(const FusionFamily& config, const OpenContext& context);
ModelFacts facts(const FusionFamily& config);
std::vector<PartFacts> parts_of(const FusionFamily& config, const Run& run);
std::int64_t opening_bytes(const FusionFamily& config, const Run& run, const Graph& graph);

}  // namespace hasa
