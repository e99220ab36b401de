#pragma once

#include <cstdint>

#include "hasa/base/config.h"
#include "hasa/eval/metrics.h"
#include "hasa/families/star_ensemble/ensemble_scorer.h"

namespace hasa {

struct EnsembleFitConfig {
  double margin = 0.6;
  double lr = 0.01;
  std::int64_t steps = 300;
  double weight_decay = 0.1;

  template <class Visitor>
  static void fields(Visitor& field) {
    using C = EnsembleFitConfig;
    field("margin", &C::margin, "margin of the answer over false candidates, with scores in [0, 1]", Range{0, 1});
    field("lr", &C::lr, "learning rate", Range{1e-9, 10});
    field("steps", &C::steps, "gradient steps, each over all validation queries", Range{1, 1000000});
    field("weight_decay", &C::weight_decay, "weight decay (decoupled, multiplied by the learning rate)", Range{0, 100});
  }
};

struct FittedEnsemble {
  AdaptiveWeight weight;
  Scores validation;  // cross-fitted: each half ranked by a weight fitted on the other
};

/// Fits the adaptive weight on the validation answers, and sets it in the scorer.
FittedEnsemble fit_ensemble(EnsembleScorer& scorer, const Graph& graph, const EnsembleFitConfig& config);

}  // namespace hasa
