#pragma once

#include <cstdint>

#include "hasa/base/config.h"

namespace hasa {

/// Epochs, batch size, validation and checkpoints.
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
          "passes over the training triples, each in both directions; 0: chosen by the size of the graph",
          Range{0, 100000});
    field("batch", &ScheduleConfig::batch,
          "batch size in triples, each direction counted as one; 0: chosen by the size of the graph",
          Range{0, 1 << 20});
    field("validate_every", &ScheduleConfig::validate_every,
          "epochs between validations; there is always one after the last epoch", Range{1, 100000});
    field("validate_queries", &ScheduleConfig::validate_queries,
          "number of validation queries to rank, a fixed random sample; 0: all", Range{0, 1e12});
    field("patience", &ScheduleConfig::patience,
          "early stopping after so many validations without a better MRR; 0: no early stopping", Range{0, 100000});
    field("checkpoint_every", &ScheduleConfig::checkpoint_every,
          "epochs between checkpoints; there is always one after the last epoch", Range{1, 100000});
  }
};

}  // namespace hasa
