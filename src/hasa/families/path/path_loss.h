#pragma once

#include <torch/types.h>

#include "hasa/families/path/path_config.h"

namespace hasa {

/// The scores of a step and their targets.
struct ScoredPaths {
  torch::Tensor scores;           // [queries, entities] float32
  torch::Tensor query_of_answer;  // [answers] int64
  torch::Tensor answers;          // [answers] int64
  torch::Tensor negatives;        // [queries, k] int64; undefined: all entities but the known ones
  torch::Tensor known;            // [.] int64, query * entities + entity: training answers of the queries
};

/// The mean over answers, with p an answer's score and s_j those of its query's negatives:
///
///   cross_entropy      log(1 + sum_j exp(s_j - p))
///   self_adversarial   (log(1 + exp(-p)) + sum_j w_j log(1 + exp(s_j))) / 2,  w = softmax(s / temperature), held fixed
///
/// Other known answers of the query are not negatives. A query without negatives has loss 0.
torch::Tensor path_loss(const ScoredPaths& step, const PathTrainingConfig& config);

}  // namespace hasa
