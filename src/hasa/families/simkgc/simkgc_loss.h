#pragma once

#include <torch/types.h>

#include "hasa/base/config.h"

namespace hasa {

struct SimkgcLossConfig {
  double margin = 0.02;
  bool tail_to_query = true;
  double pre_batch_weight = 0.5;

  template <class Visitor>
  static void fields(Visitor& field) {
    using C = SimkgcLossConfig;
    field("margin", &C::margin, "additive margin, subtracted from the positive's cosine in training", Range{0, 2});
    field("tail_to_query", &C::tail_to_query, "add the tail-to-query term: each tail against the batch's queries");
    field("pre_batch_weight", &C::pre_batch_weight, "weight of pre-batch negatives: factor on their scores",
          Range{0, 10});
  }
};

/// The vectors of a step, unit rows. Tail i answers query i.
struct SimkgcBatch {
  torch::Tensor queries;   // [batch, dim]
  torch::Tensor tails;     // [batch, dim]
  torch::Tensor heads;     // [batch, dim] each query's own head, encoded as an entity; undefined: no self-negatives
  torch::Tensor earlier;   // [slots, dim] tails of earlier batches, without gradient; undefined: none
  torch::Tensor negative;  // [batch, columns] bool: the negatives of a query, never its answer
  torch::Tensor scale;     // [] 1 / temperature
};

/// Scores of each query's columns: the batch's tails, those of earlier batches, the query's own head.
///
///   scale q_i . t_j   |   scale pre_batch_weight q_i . e_k   |   scale q_i . h_i       [batch, columns]
torch::Tensor simkgc_scores(const SimkgcBatch& batch, const SimkgcLossConfig& config);

/// InfoNCE of SimKGC: the mean over the queries of the cross-entropy of tail i among the columns that count, the
/// positive being scale (q_i . t_i - margin); and, with tail_to_query, the mean over the tails of the cross-entropy of
/// query i among the batch's queries, except others that tail i also answers.
torch::Tensor simkgc_loss(const SimkgcBatch& batch, const SimkgcLossConfig& config);

}  // namespace hasa
