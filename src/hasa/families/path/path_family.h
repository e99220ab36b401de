#pragma once

#include "hasa/families/family.h"
#include "hasa/families/path/path_config.h"
#include "hasa/train/optimiser.h"
#include "hasa/train/schedule_config.h"

namespace hasa {

/// Messages along the paths from a query's entity.
struct PathFamily {
  static constexpr const char* kTag = "path";
  static constexpr bool kSeveralProcesses = true;

  PathModelConfig model;
  PathTrainingConfig paths;
  OptimiserConfig optimiser;
  ScheduleConfig train;

  template <class Visitor>
  static void fields(Visitor& field) {
    using F = PathFamily;
    field("model", &F::model, "how far and how wide messages are passed");
    field("paths", &F::paths, "what is predicted in training, and which edges are hidden");
    field("optimiser", &F::optimiser, "the optimiser");
    field("train", &F::train,
          "epochs, batch size, validation and checkpoints; examples are distinct queries, not triples");
  }
};

void check(const PathFamily& config, const torch::Device& device);
std::unique_ptr<Learner> make_learner(const PathFamily& config, const TrainContext& context);
std::unique_ptr<Scorer> open_scorer(const PathFamily& config, const OpenContext& context);
ModelFacts facts(const PathFamily& config);
std::int64_t opening_bytes(const PathFamily& config, const Run& run, const Graph& graph);

}  // namespace hasa
