#pragma once

#include <torch/types.h>

#include "hasa/base/config.h"

namespace hasa {

enum class ContrastiveKind { simple, hard, hasa };

inline EnumNames<ContrastiveKind> names_of(ContrastiveKind) {
  return {{ContrastiveKind::simple, "simple"}, {ContrastiveKind::hard, "hard"}, {ContrastiveKind::hasa, "hasa"}};
}

/// HaSa+ is hasa with tail_to_query. Options of one kind are ignored by the others.
struct ContrastiveConfig {
  ContrastiveKind kind = ContrastiveKind::simple;
  bool tail_to_query = false;
  double margin = 0.02;
  double beta = 0;
  double tau = 2e-5;
  double floor = 0.1;
  bool paper_listing = false;
  bool weight_gradient = false;
  bool mask_true_queries = true;
  double context_beta = 0;

  template <class Visitor>
  static void fields(Visitor& field) {
    using C = ContrastiveConfig;
    field("kind", &C::kind,
          "simple: InfoNCE with equally weighted negatives; hard: high-scoring negatives weigh more; hasa: hard, "
          "corrected for false negatives estimated from the head's neighbourhood");
    field("tail_to_query", &C::tail_to_query,
          "add the tail-to-query term: each tail against the batch's queries; turns HaSa into HaSa+");
    field("margin", &C::margin, "additive margin, subtracted from the positive's score in training, before the scale",
          Range{0, 10});
    field("beta", &C::beta,
          "hardness exponent of hard and hasa: how strongly high-scoring negatives are preferred; 0 weighs all "
          "equally, so that hard equals simple; the paper uses 1",
          Range{0, 100});
    field("tau", &C::tau, "hasa: assumed fraction of false negatives; 0 is the same as hard", Range{0, 0.999});
    field("floor", &C::floor, "hasa: minimum fraction of the negatives' weight left after the correction",
          Range{0.001, 1});
    field("paper_listing", &C::paper_listing,
          "hasa as in the paper's algorithm boxes instead of its equations: beta is ignored, and the correction is not "
          "divided by 1 - tau");
    field("weight_gradient", &C::weight_gradient, "propagate gradients through the hardness weights");
    field("mask_true_queries", &C::mask_true_queries,
          "tail_to_query: leave out other queries that the tail answers too; the paper leaves in all");
    field("context_beta", &C::context_beta,
          "tail_to_query: how sharply high-scoring queries of the batch are preferred; 0, the paper's, weighs all alike",
          Range{0, 100});
  }
};

/// Scores of a batch's queries against candidates shared by all of them. Query i belongs to triple i.
struct ContrastiveBatch {
  torch::Tensor scores;        // [queries, columns] float32 or double, scale included, margin not
  torch::Tensor negative;      // [queries, columns] bool: the negatives of a query, never its answer
  torch::Tensor positive;      // [queries] int64: column of the answer
  torch::Tensor margin;        // [] margin subtracted from the positive's score, scale included; gets no gradient
  torch::Tensor multiplicity;  // [columns] multiplicity of a column, at least 1; undefined: 1 each
  torch::Tensor neighbours;    // [queries, samples] int64: columns of entities sampled near the head, -1 for
                               // none; a query without any uses tau = 0. Used only by hasa.
};

struct ContrastiveLoss {
  torch::Tensor loss;     // [] mean over the queries, plus mean over the tails
  torch::Tensor floored;  // [] share of the queries at which the floor acted
  /// [] mean over the queries of log(1 + K) less their loss, the tail-to-query term apart: of Simple and Hard InfoNCE
  /// a lower bound of the mutual information of query and answer, in nats. HaSa's correction makes an estimate of it.
  torch::Tensor information;
};

/// With p the positive's score less the margin, s_j the scores of the K negatives, sigma_m those of the neighbours:
///
///   simple  softplus(lse_j s_j - p)
///   hard    softplus(log K + a - p),                                      a = lse_j(s_j + log softmax(beta s)_j)
///   hasa    softplus(log K + log(e^a - tau e^b) - log(1 - tau) - p),      b = lse_m(sigma_m + log softmax(beta
///   sigma)_m)
///           where e^a - tau e^b is at least floor * e^a
///   listing softplus(log K + log(e^a / (1 - tau) - tau e^b) - p),         beta = 0, at least floor * e^a / (1 - tau)
///
/// The tail-to-query term is simple InfoNCE from the tail to the batch's queries.
///
/// Safe for scores of any finite size. A query without negatives has loss 0 and no gradient; NaN scores of
/// negatives make the loss NaN. The softmax weights get no gradient unless the config says so. Never synchronises with
/// the device; columns must be in range, which is not checked.
ContrastiveLoss contrastive_loss(const ContrastiveBatch& batch, const ContrastiveConfig& config);

/// The tail-to-query term alone. scores [queries, tails]: query i's own tail is tail i; others [queries, tails] bool:
/// the queries that a tail is to be told from, its own being passed over. margin as above. `beta` weighs hard contexts
/// as Hard InfoNCE weighs hard negatives, its weights with or without gradient.
torch::Tensor tail_to_query_loss(const torch::Tensor& scores, const torch::Tensor& others, const torch::Tensor& margin,
                                 double beta = 0, bool weight_gradient = false);

/// The reference: the formulas as written, in double, one query after the other, on the CPU. With
/// `weights_at`, the softmax weights are computed from these scores and stay fixed when the batch's scores change.
ContrastiveLoss contrastive_loss_reference(const ContrastiveBatch& batch, const ContrastiveConfig& config,
                                           const torch::Tensor& weights_at = {});

}  // namespace hasa
