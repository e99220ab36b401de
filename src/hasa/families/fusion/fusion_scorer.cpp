#include "hasa/families/fusion/fusion_scorer.h"

#include "hasa/model/query_columns.h"

namespace hasa {

torch::Tensor weighed(const std::vector<torch::Tensor>& features, const torch::Tensor& weights) {
  torch::Tensor sum = torch::zeros_like(features.at(0));
  for (std::size_t f = 0; f < features.size(); ++f)
    sum.addcmul_(features[f], weights.select(1, static_cast<std::int64_t>(f)).unsqueeze(1));
  return sum;
}

torch::Tensor FusionScorer::scores(std::span<const Query> queries) const {
  return weighed(features_.of(queries), weights_.all.index_select(0, ids_of(queries, device()).relations));
}

torch::Tensor FusionScorer::scores_of(std::span<const Query> queries, const torch::Tensor& candidates) const {
  return scores(queries).gather(1, candidates);
}

}  // namespace hasa
