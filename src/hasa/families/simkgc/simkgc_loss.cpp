#include "hasa/families/simkgc/simkgc_loss.h"

#include <ATen/ops/arange.h>

#include <vector>

#include "hasa/loss/contrastive.h"

namespace hasa {

torch::Tensor simkgc_scores(const SimkgcBatch& batch, const SimkgcLossConfig& config) {
  std::vector<torch::Tensor> columns = {torch::mm(batch.queries, batch.tails.t())};
  if (batch.earlier.defined()) columns.push_back(torch::mm(batch.queries, batch.earlier.t()) * config.pre_batch_weight);
  if (batch.heads.defined()) columns.push_back((batch.queries * batch.heads).sum(1, /*keepdim=*/true));
  return torch::cat(columns, 1) * batch.scale;
}

torch::Tensor simkgc_loss(const SimkgcBatch& batch, const SimkgcLossConfig& config) {
  const auto ids = torch::TensorOptions(torch::kInt64).device(batch.queries.device());
  ContrastiveConfig simple;  // whose tail-to-query term masks what `negative` says of the batch's tails
  simple.tail_to_query = config.tail_to_query;
  return contrastive_loss({.scores = simkgc_scores(batch, config),
                           .negative = batch.negative,
                           .positive = torch::arange(batch.queries.size(0), ids),
                           .margin = batch.scale.detach() * config.margin,
                           .multiplicity = {},
                           .neighbours = {}},
                          simple)
      .loss;
}

}  // namespace hasa
