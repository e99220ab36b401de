#pragma once

#include <cstdint>
#include <string>

#include "hasa/base/config.h"
#include "hasa/loss/contrastive.h"
#include "hasa/negative/negatives_config.h"
#include "hasa/run/run_setup.h"
#include "hasa/train/optimiser.h"
#include "hasa/train/table_config.h"

namespace hasa {

/// How long and in which portions a model is trained.
struct ScheduleConfig {
  std::int64_t epochs = 10;
  std::int64_t batch = 256;
  std::int64_t validate_every = 1;
  std::int64_t patience = 0;
  std::int64_t chunk_tokens = 0;
  std::int64_t checkpoint_every = 1;

  template <class Visitor>
  static void fields(Visitor& field) {
    field("epochs", &ScheduleConfig::epochs, "passes over the training triples, each in both directions",
          Range{1, 100000});
    field("batch", &ScheduleConfig::batch, "triples in a step, each direction counted as one", Range{1, 1 << 20});
    field("validate_every", &ScheduleConfig::validate_every,
          "epochs between two validations; the last is always followed by one", Range{1, 100000});
    field("patience", &ScheduleConfig::patience,
          "validations without a better MRR before training stops early; 0 never stops it", Range{0, 100000});
    field(
        "chunk_tokens", &ScheduleConfig::chunk_tokens,
        "most tokens the language model reads at a time in a step; a step with more is read in portions, twice, which "
        "takes less memory and gives the same gradient but for dropout's draws; 0 reads all at once",
        Range{0, 1e12});
    field("checkpoint_every", &ScheduleConfig::checkpoint_every,
          "epochs between two checkpoints to resume from; the last is always followed by one", Range{1, 100000});
  }
};

/// Everything `hasa train` reads from its config file.
struct TrainConfig : RunSetup {
  std::uint64_t seed = 1;
  std::string memory_limit;
  ContrastiveConfig loss;
  NegativesConfig negatives;
  TableTrainingConfig tables;
  OptimiserConfig optimiser;
  ScheduleConfig train;

  template <class Visitor>
  static void fields(Visitor& field) {
    RunSetup::fields(field);
    field("seed", &TrainConfig::seed, "of the initial weights, the order of the triples and dropout");
    field("memory_limit", &TrainConfig::memory_limit,
          "most GPU memory to take, such as 16G; steps that need more are read in portions, as train.chunk_tokens "
          "does; empty takes what is there");
    field("loss", &TrainConfig::loss,
          "what training makes smaller; with model.type=frozen every entity is a candidate, and simple has no "
          "tail_to_query");
    field("negatives", &TrainConfig::negatives,
          "with model.type=text: the candidates a step tells each answer from, beside the tails of its triples");
    field("tables", &TrainConfig::tables,
          "with model.type=transe, distmult, complex or rotate: how they are trained, in place of loss and negatives");
    field("optimiser", &TrainConfig::optimiser, "what changes the weights");
    field("train", &TrainConfig::train, "how long and in which portions");
  }
};

}  // namespace hasa
