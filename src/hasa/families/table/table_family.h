#pragma once

#include <string>

#include "hasa/families/family.h"
#include "hasa/families/table/table_config.h"
#include "hasa/families/table/table_model.h"
#include "hasa/train/optimiser.h"
#include "hasa/train/schedule_config.h"

namespace hasa {

/// TransE, DistMult, ComplEx or RotatE: a vector per entity and relation.
struct TableFamily {
  TableModelConfig model;
  TableTrainingConfig tables;
  TableOptimiserConfig optimiser;
  ScheduleConfig train;
  std::string memory_limit;
};

/// Its options under the tag of each form: each has some that the others lack.
template <TableForm kForm>
struct TableFamilyOf {
  static constexpr const char* kTag = TableConfigOf<kForm>::kTag;
  static constexpr const char* kDoc = "a vector for each entity and each relation, and no text";

  TableConfigOf<kForm> model;
  TableTrainingConfig tables;
  TableOptimiserConfig optimiser;
  ScheduleConfig train;
  std::string memory_limit;

  operator TableFamily() const { return {model, tables, optimiser, train, memory_limit}; }

  template <class Visitor>
  static void fields(Visitor& field) {
    using F = TableFamilyOf;
    field("memory_limit", &F::memory_limit,
          "limit on GPU memory, such as 16G: settings that do not fit are rejected, with ones that would; empty: no "
          "limit");
    field("model", &F::model, "the embeddings");
    field("tables", &F::tables, "how the embeddings are trained");
    field("optimiser", &F::optimiser, "the optimiser");
    field("train", &F::train, "epochs, batch size, validation and checkpoints");
  }
};
using TransEFamily = TableFamilyOf<TableForm::transe>;
using DistMultFamily = TableFamilyOf<TableForm::distmult>;
using ComplExFamily = TableFamilyOf<TableForm::complex>;
using RotatEFamily = TableFamilyOf<TableForm::rotate>;

void check(const TableFamily& config, const torch::Device& device);
std::unique_ptr<Learner> make_learner(const TableFamily& config, const TrainContext& context);
std::unique_ptr<Scorer> open_scorer(const TableFamily& config, const OpenContext& context);
ModelFacts facts(const TableFamily& config);
std::int64_t opening_bytes(const TableFamily& config, const Run& run, const Graph& graph);

}  // namespace hasa
