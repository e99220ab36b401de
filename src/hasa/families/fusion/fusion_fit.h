#pragma once

#include <cstdint>

#include "hasa/base/config.h"
#include "hasa/eval/metrics.h"
#include "hasa/families/fusion/fusion_scorer.h"

namespace hasa {

/// Options of the fit.
struct FusionFitConfig {
  bool by_relation = true;
  double shrinkage = 10;
  std::int64_t folds = 5;
  std::int64_t top = 32;
  std::int64_t sample = 128;

  template <class Visitor>
  static void fields(Visitor& field) {
    using C = FusionFitConfig;
    field("by_relation", &C::by_relation, "separate weights per relation and direction");
    field("shrinkage", &C::shrinkage, "how strongly these are shrunk towards the global weights", Range{0, 1e9});
    field("folds", &C::folds,
          "cross-fitting folds of the validation split: each is ranked with weights fitted on the others, which gives "
          "the validation metrics",
          Range{2, 100});
    field("top", &C::top, "candidates per query to fit on: the top so many of each part", Range{1, 10000});
    field("sample", &C::sample,
          "and so many sampled from the rest, weighted to represent all of it; both are reduced to fit in half a GiB",
          Range{1, 100000});
  }
};

/// The weights fitted on all validation answers, and the metrics of each fold under weights of the others.
struct FittedFusion {
  FittedWeights weights;
  Scores validation;
};

/// Two passes over the validation queries, both directions, scored in blocks: one gathers the candidates to fit on,
/// one ranks. For fitting, the rivals of an answer are all entities except other known answers of training
/// and validation: no test edge is read. The metrics are those of filtered ranking, as everywhere.
FittedFusion fit_fusion(const FusionFeatures& features, const Graph& graph, const FusionFitConfig& config,
                        std::uint64_t seed);

}  // namespace hasa
