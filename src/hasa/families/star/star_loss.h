#pragma once

#include <torch/types.h>

#include "hasa/base/config.h"

namespace hasa {

struct StarLossConfig {
  double margin = 1;
  double ranking_weight = 1;

  template <class Visitor>
  static void fields(Visitor& field) {
    using C = StarLossConfig;
    field("margin", &C::margin, "margin between the distances of a corrupted tail and of the true one", Range{0, 1000});
    field("ranking_weight", &C::ranking_weight, "weight of the distance loss relative to the classifier's",
          Range{0, 1000});
  }
};

/// A batch's queries with their candidates. Candidate 0 of a query is its answer, the others are corrupted tails.
struct StarBatch {
  torch::Tensor logits;     // [batch, 1 + negatives] logits of the classifier that the triple is true
  torch::Tensor distances;  // [batch, 1 + negatives] of query and candidate
  torch::Tensor counted;    // [batch, 1 + negatives] bool: the candidate exists; always true at 0
};

struct StarLoss {
  torch::Tensor loss;            // [] classification + ranking_weight * ranking
  torch::Tensor classification;  // [] binary cross-entropy, mean over all candidates
  torch::Tensor ranking;  // [] mean over the corrupted tails of max(0, margin + distance of the answer - its own)
};

/// The two objectives of StAR.
StarLoss star_loss(const StarBatch& batch, const StarLossConfig& config);

}  // namespace hasa
