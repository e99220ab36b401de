#pragma once

#include <cstdint>

#include "hasa/base/config.h"

namespace hasa {

/// Progress between two steps. Together with the model, the optimiser and torch's generators
/// it is all a later process needs to resume as if nothing had happened.
struct TrainState {
  std::int64_t epoch = 0;          // epochs completed
  std::int64_t step_in_epoch = 0;  // steps completed of the next
  double loss_sum = 0;             // over those steps
  std::int64_t tokens = 0;         // read in them
  double flops = 0;                // of matrix products in them
  double seconds = 0;              // spent on them
  double best_mrr = -1;
  std::int64_t best_epoch = 0;
  std::int64_t validations_since_best = 0;
  std::int64_t graph = 0;  // content hash of the one it is trained on; 0 in checkpoints of older programs

  /// Also how it is written into a checkpoint.
  template <class Visitor>
  static void fields(Visitor& field) {
    field("epoch", &TrainState::epoch, "epochs completed");
    field("step_in_epoch", &TrainState::step_in_epoch, "steps completed of the next epoch");
    field("loss_sum", &TrainState::loss_sum, "over those steps");
    field("tokens", &TrainState::tokens, "read in them");
    field("flops", &TrainState::flops, "of matrix products in them");
    field("seconds", &TrainState::seconds, "spent on them");
    field("best_mrr", &TrainState::best_mrr, "best validation MRR so far");
    field("best_epoch", &TrainState::best_epoch, "epoch it was reached");
    field("validations_since_best", &TrainState::validations_since_best, "without a better one");
    field("graph", &TrainState::graph, "content hash of the graph");
  }
};

}  // namespace hasa
