#include "hasa/loss/all_entities_loss.h"

#include "hasa/base/error.h"

namespace hasa {

torch::Tensor all_entities_loss(const torch::Tensor& scores_in, const RaggedIds& answers, AllEntitiesLoss kind,
                                double smoothing, double offset) {
  HASA_CHECK(scores_in.dim() == 2 && answers.rows() == scores_in.size(0), shape,
             "all_entities_loss: {} rows of scores, answers of {} queries", scores_in.size(0), answers.rows());
  const bool softmax = kind == AllEntitiesLoss::cross_entropy;
  const torch::Tensor scores = softmax || offset == 0 ? scores_in : scores_in + offset;
  const torch::Tensor row = answers.row_of_each();
  torch::Tensor of_labels = scores.view(-1).index_select(0, row * scores.size(1) + answers.ids);
  if (softmax) of_labels = of_labels / answers.offsets.diff().index_select(0, row);
  // Both losses are a sum over all entities less what the labels give: log-sum-exp, or the sum of softplus.
  const torch::Tensor all = softmax ? scores.logsumexp(1).sum() : torch::softplus(scores).sum();
  torch::Tensor given = of_labels.sum() * (1 - smoothing);
  if (smoothing > 0) given = given + scores.sum() * (smoothing / static_cast<double>(scores.size(1)));
  return (all - given) / static_cast<double>(scores.size(0));
}

}  // namespace hasa
