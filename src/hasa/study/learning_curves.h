#pragma once

#include <string>
#include <vector>

#include "hasa/study/learning_curve.h"
#include "hasa/study/loss_table.h"

namespace hasa {

/// MRR and Hits@1 by epoch for Simple, Hard and HaSa. Their options are those that the study of losses chooses, from
/// the same trainings; without further options, the curves are of the runs of its table.
struct LearningCurvesConfig {
  LossTableConfig losses;
  std::vector<std::string> options;
  std::int64_t seeds = 3;

  static LearningCurvesConfig of(StudySize size);

  template <class Visitor>
  static void fields(Visitor& field) {
    using C = LearningCurvesConfig;
    field("losses", &C::losses, "how the options of each loss are chosen: as in the study of losses");
    field("options", &C::options, "over the table's runs, for these: train.epochs=10, train.validate_every=1");
    field("seeds", &C::seeds, "of each curve", Range{1, 100});
  }
};

/// The curves of one graph: Simple, Hard, HaSa.
struct LossCurves {
  std::string graph;
  std::vector<SeededCurve> curves;
};

StudyResult learning_curves_result(const std::vector<LossCurves>& graphs);

Study learning_curves_study();

}  // namespace hasa
