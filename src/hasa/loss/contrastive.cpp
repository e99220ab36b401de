#include "hasa/loss/contrastive.h"

#include <cmath>
#include <limits>

#include "hasa/base/error.h"

namespace hasa {
namespace {

using torch::Tensor;

constexpr double kHidden = -std::numeric_limits<double>::infinity();

/// The weight of each counted column.
struct Weights {
  double beta;
  bool gradient;
};

/// A weighted mean of exp(score) over the counted columns of each row, in log space and relative to the row's largest
/// score: added to it, the logarithm would lose precision that matters once the positive's score is subtracted.
struct RowMean {
  Tensor top;        // [rows] largest score counted, without gradient; 0 in an empty row
  Tensor log_total;  // [rows] log(count * mean) - top; 0 in an empty row
  Tensor count;      // [rows] columns counted; 1 in an empty row
  Tensor empty;      // [rows] bool: nothing counts

  Tensor log_mean() const { return log_total - count.log(); }
};

/// Total and count meet before the logarithm: at beta = 0 the total is the plain sum, to the last bit.
RowMean row_mean(const Tensor& scores, const Tensor& counted, const Tensor& multiplicity, const Weights& weights) {
  const auto times = [&](const Tensor& x) {
    return multiplicity.defined() ? x * multiplicity.to(scores.scalar_type()) : x;
  };
  const Tensor left = torch::where(counted, scores, kHidden);
  Tensor top = left.detach().amax(1, /*keepdim=*/true);
  top = top.masked_fill(top == kHidden, 0);
  const Tensor below_top = left - top;
  const Tensor power = times(below_top.exp());

  RowMean mean;
  mean.top = top.squeeze(1);
  mean.count = times(counted).sum(1).to(scores.scalar_type());
  // Decided by the count, not by the sums: NaN scores must reach the loss.
  mean.empty = mean.count == 0;
  mean.count = mean.count.masked_fill(mean.empty, 1);
  Tensor total;
  if (weights.beta == 0) {
    total = power.sum(1).masked_fill(mean.empty, 1);
  } else {
    const Tensor weight = ((weights.gradient ? below_top : below_top.detach()) * weights.beta).exp();
    const Tensor sum = times(weight).sum(1).masked_fill(mean.empty, 1);
    total = (power * weight).sum(1).masked_fill(mean.empty, 1) * (mean.count / sum);
  }
  mean.log_total = total.log();
  return mean;
}

/// softplus(negatives' total - positive + margin), 0 where there are no negatives. torch's softplus would become
/// the identity past a threshold.
Tensor info_nce(const RowMean& negatives, const Tensor& log_factor, const Tensor& margin, const Tensor& own) {
  Tensor ahead = own - negatives.top - margin.detach() - negatives.log_total;
  if (log_factor.defined()) ahead = ahead - log_factor;
  return -torch::log_sigmoid(ahead).masked_fill(negatives.empty, 0);
}

/// HaSa's correction, added to the logarithm of the negatives' total.
struct Correction {
  Tensor log_factor;  // [queries] 0 for a head without neighbours
  Tensor floored;     // [queries] bool
};

/// The factor is (1 - tau e^(b - a)) / (1 - tau). In the paper's listing the whole of e^a is divided by 1 - tau and
/// tau e^b is not, which is a factor of (1 - tau (1 - tau) e^(b - a)) / (1 - tau). The exponent is clamped before exp:
/// afterwards an infinity would turn the floor's zero gradient into NaN.
Correction correction_of(const RowMean& negatives, const RowMean& neighbours, const ContrastiveConfig& config) {
  const double tau = config.paper_listing ? config.tau * (1 - config.tau) : config.tau;
  const double most = std::log1p(-config.floor);
  Tensor share = (neighbours.top - negatives.top) + (neighbours.log_mean() - negatives.log_mean()) + std::log(tau);
  share = share.masked_fill(neighbours.empty, kHidden);
  const Tensor untaken = torch::log1p(-share.clamp_max(most).exp());
  return {(untaken - std::log1p(-config.tau)).masked_fill(neighbours.empty, 0), share > most};
}

/// The loss of each query over its columns, averaged over the queries.
ContrastiveLoss query_to_tail(const ContrastiveBatch& batch, const Tensor& own, const ContrastiveConfig& config) {
  const bool structure_aware = config.kind == ContrastiveKind::hasa;
  const bool alike = config.kind == ContrastiveKind::simple || (structure_aware && config.paper_listing);
  const Weights weights{alike ? 0 : config.beta, config.weight_gradient};
  const RowMean negatives = row_mean(batch.scores, batch.negative, batch.multiplicity, weights);
  Tensor log_factor, floored;
  if (structure_aware && config.tau > 0) {
    const Tensor sampled = batch.scores.gather(1, batch.neighbours.clamp_min(0));
    const RowMean neighbours = row_mean(sampled, batch.neighbours >= 0, {}, weights);
    const Correction correction = correction_of(negatives, neighbours, config);
    log_factor = correction.log_factor;
    floored = correction.floored.logical_and(negatives.empty.logical_not()).to(batch.scores.scalar_type()).mean();
  } else {
    floored = torch::zeros({}, batch.scores.options());
  }
  const Tensor loss = info_nce(negatives, log_factor, batch.margin, own);
  const Tensor most = torch::log1p(negatives.count).masked_fill(negatives.empty, 0);
  return {loss.mean(), floored, (most - loss.detach()).mean()};
}

Tensor tail_to_query(const ContrastiveBatch& batch, const ContrastiveConfig& config) {
  const Tensor scores = batch.scores.index_select(1, batch.positive);  // [queries, tails]
  const Tensor others = config.mask_true_queries ? batch.negative.index_select(1, batch.positive)
                                                 : torch::ones(scores.sizes(), batch.negative.options());
  return tail_to_query_loss(scores, others, batch.margin, config.context_beta, config.weight_gradient);
}

void check(const ContrastiveBatch& batch, const ContrastiveConfig& config) {
  HASA_CHECK(batch.scores.dim() == 2 && batch.scores.numel() > 0, shape,
             "contrastive_loss: scores must be a matrix of queries and columns that is not empty");
  const std::int64_t queries = batch.scores.size(0), columns = batch.scores.size(1);
  HASA_CHECK(batch.scores.scalar_type() == torch::kFloat32 || batch.scores.scalar_type() == torch::kFloat64, shape,
             "contrastive_loss: scores must be float32 or double");
  HASA_CHECK(batch.negative.scalar_type() == torch::kBool && batch.negative.sizes() == batch.scores.sizes(), shape,
             "contrastive_loss: negative must be a bool for each of {} x {} scores", queries, columns);
  HASA_CHECK(batch.positive.dim() == 1 && batch.positive.size(0) == queries, shape,
             "contrastive_loss: {} queries, {} positives", queries, batch.positive.numel());
  HASA_CHECK(batch.margin.defined() && batch.margin.dim() == 0, shape, "contrastive_loss: margin must be one number");
  HASA_CHECK(!batch.multiplicity.defined() || (batch.multiplicity.dim() == 1 && batch.multiplicity.size(0) == columns),
             shape, "contrastive_loss: {} columns, {} multiplicities", columns, batch.multiplicity.numel());
  HASA_CHECK(config.beta >= 0 && config.tau >= 0 && config.tau < 1 && config.floor > 0 && config.floor <= 1, config,
             "contrastive_loss: beta {} must be at least 0, tau {} in [0, 1), floor {} in (0, 1]", config.beta,
             config.tau, config.floor);
  if (config.kind != ContrastiveKind::hasa || config.tau == 0) return;
  HASA_CHECK(batch.neighbours.defined() && batch.neighbours.dim() == 2 && batch.neighbours.size(0) == queries &&
                 batch.neighbours.size(1) > 0,
             shape, "contrastive_loss: hasa needs a row of sampled neighbours for each of {} queries", queries);
}

}  // namespace

Tensor tail_to_query_loss(const Tensor& scores, const Tensor& others, const Tensor& margin, double beta,
                          bool weight_gradient) {
  HASA_CHECK(scores.dim() == 2 && scores.size(0) == scores.size(1) && others.sizes() == scores.sizes(), shape,
             "tail_to_query_loss: scores must be a square, and others like them");
  const Tensor told_from = others.t().clone().fill_diagonal_(/*fill_value=*/false);  // [tails, queries]
  const RowMean contexts = row_mean(scores.t(), told_from, {}, {beta, weight_gradient});
  return info_nce(contexts, /*log_factor=*/{}, margin, scores.diagonal()).mean();
}

ContrastiveLoss contrastive_loss(const ContrastiveBatch& batch, const ContrastiveConfig& config) {
  check(batch, config);
  const Tensor own = batch.scores.gather(1, batch.positive.unsqueeze(1)).squeeze(1);  // [queries]
  ContrastiveLoss result = query_to_tail(batch, own, config);
  if (config.tail_to_query) result.loss = result.loss + tail_to_query(batch, config);
  return result;
}

}  // namespace hasa
