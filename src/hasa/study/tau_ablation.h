#pragma once

#include <string>
#include <vector>

#include "hasa/study/seeded_runs.h"
#include "hasa/study/study.h"

namespace hasa {

/// HaSa and HaSa+ for several values of tau, the share of the negatives assumed to be true after all.
struct TauAblationConfig {
  StudyRecipe recipe;
  std::vector<std::string> taus;
  std::int64_t seeds = 3;

  static TauAblationConfig of(StudySize size);

  template <class Visitor>
  static void fields(Visitor& field) {
    using C = TauAblationConfig;
    field("recipe", &C::recipe, "the trainings; loss.beta is theirs");
    field("taus", &C::taus, "the values above 0; 0, which is Hard InfoNCE, is always among the runs");
    field("seeds", &C::seeds, "of each value", Range{1, 100});
  }
};

/// Of one graph and one loss. A value's runs are named after it; the first is "0".
struct TauRow {
  std::string graph, loss;  // "HaSa", "HaSa+"
  std::vector<SeededRuns> taus;
};

StudyResult tau_ablation_result(const std::vector<TauRow>& rows);

Study tau_ablation_study();

}  // namespace hasa
