#pragma once

#include <string>
#include <vector>

#include "hasa/study/seeded_runs.h"
#include "hasa/study/study.h"

namespace hasa {

/// HaSa for several sizes of its vectors, each with several batch sizes.
struct DimensionAndBatchConfig {
  StudyRecipe recipe;
  std::vector<std::string> dimensions, batches;
  std::int64_t seeds = 3;

  static DimensionAndBatchConfig of(StudySize size);

  template <class Visitor>
  static void fields(Visitor& field) {
    using C = DimensionAndBatchConfig;
    field("recipe", &C::recipe, "the trainings, their loss too");
    field("dimensions", &C::dimensions, "values of model.dim");
    field("batches", &C::batches, "values of train.batch");
    field("seeds", &C::seeds, "of each pair of values", Range{1, 100});
  }
};

/// Runs of one graph, all dimensions with all batches.
struct DimensionBatchGrid {
  std::string graph;
  std::vector<std::int64_t> dimensions, batches;  // rising
  std::vector<std::vector<SeededRuns>> runs;      // [dimension][batch]
};

StudyResult dimension_and_batch_result(const std::vector<DimensionBatchGrid>& grids);

Study dimension_and_batch_study();

}  // namespace hasa
