#include "hasa/families/star/star_loss.h"

namespace hasa {

StarLoss star_loss(const StarBatch& batch, const StarLossConfig& config) {
  const auto type = batch.logits.scalar_type();
  const torch::Tensor counted = batch.counted.to(type);
  // -log sigmoid(z) of the answers, -log(1 - sigmoid(z)) of the others.
  torch::Tensor sign = -torch::ones_like(batch.logits);
  sign.select(1, 0).fill_(1);
  const torch::Tensor entropy = -torch::log_sigmoid(batch.logits * sign) * counted;
  const std::int64_t negatives = batch.logits.size(1) - 1;
  const torch::Tensor answers = batch.distances.narrow(1, 0, 1), others = batch.distances.narrow(1, 1, negatives);
  const torch::Tensor others_counted = counted.narrow(1, 1, negatives);
  const torch::Tensor hinge = torch::relu(answers - others + config.margin) * others_counted;
  StarLoss result;
  result.classification = entropy.sum() / counted.sum();
  result.ranking = hinge.sum() / others_counted.sum().clamp_min(1);
  result.loss = result.classification + result.ranking * config.ranking_weight;
  return result;
}

}  // namespace hasa
