#pragma once

#include <string>
#include <vector>

#include "hasa/families/family.h"

namespace hasa {

struct RerankModelConfig {
  std::vector<std::string> parts;
  std::int64_t top = 50;

  template <class Visitor>
  static void fields(Visitor& field) {
    field("parts", &RerankModelConfig::parts,
          "two run folders, or config files, which are trained first, into RUN/parts: the run whose shortlist is used, "
          "then the run that re-ranks it");
    field("top", &RerankModelConfig::top, "length of the shortlist", Range{2, 1e9});
  }
};

/// One run's shortlist, re-ranked by another run: how to use a
/// cross-encoder that is too slow to score every candidate. Nothing is trained.
struct RerankFamily {
  static constexpr const char* kTag = "rerank";
  static constexpr const char* kDoc = "one run's shortlist, re-ranked by another run";

  RerankModelConfig model;

  template <class Visitor>
  static void fields(Visitor& field) {
    field("model", &RerankFamily::model, "whose answers are scored anew, by what");
  }
};

void check(const RerankFamily& config, const torch::Device& device);
/// Trains or resumes the parts that are config files. There is no validation, which could take long.
FitOutcome fit(const RerankFamily& config, const TrainContext& context, const Run& run);
std::unique_ptr<Scorer> open_scorer(const RerankFamily& config, const OpenContext& context);
ModelFacts facts(const RerankFamily& config);
std::vector<PartFacts> parts_of(const RerankFamily& config, const Run& run);
std::int64_t opening_bytes(const RerankFamily& config, const Run& run, const Graph& graph);

}  // namespace hasa
