#pragma once

#include <cstdint>

#include "hasa/base/config.h"

namespace hasa {

/// How long training goes on, in what batches, and what is done between epochs.
struct ScheduleConfig {
  std::int64_t epochs = 0;
  std::int64_t batch = 0;
  std::int64_t validate_every = 1;
  std::int64_t validate_queries = 0;
  std::int64_t patience = 0;
  std::int64_t checkpoint_every = 1;

  template <class Visitor>
  static void fields(Visitor& field) {
    field("epochs", &ScheduleConfig::epochs,
          "passes over the training triples, each in both directions; 0: as many as a graph of its size needs",
          Range{0, 100000});
    field("batch", &ScheduleConfig::batch,
          "triples in a step, each direction counted as one; 0: as suits the size of the graph", Range{0, 1 << 20});
    field("validate_every", &ScheduleConfig::validate_every,
          "epochs between two validations; the last is always followed by one", Range{1, 100000});
    field("validate_queries", &ScheduleConfig::validate_queries,
          "how many of the validation split's queries are ranked, a random sample that stays the same; 0: all of them",
          Range{0, 1e12});
    field("patience", &ScheduleConfig::patience,
          "validations without a better MRR before training stops early; 0 never stops it", Range{0, 100000});
    field("checkpoint_every", &ScheduleConfig::checkpoint_every,
          "epochs between two checkpoints to resume from; the last is always followed by one", Range{1, 100000});
  }
};

}  // namespace hasa
