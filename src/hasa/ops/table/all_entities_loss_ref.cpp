#include "hasa/ops/table/all_entities_loss.h"

namespace hasa {

torch::Tensor all_entities_loss_reference(const torch::Tensor& scores_in, const RaggedIds& answers,
                                          AllEntitiesLoss kind, double smoothing, double offset) {
  const torch::Tensor scores = scores_in.to(torch::kFloat64);
  torch::Tensor labels = torch::zeros_like(scores);
  labels.index_put_({answers.row_of_each(), answers.ids}, torch::ones({}, torch::kFloat64));
  const auto spread = smoothing / static_cast<double>(scores.size(1));
  if (kind == AllEntitiesLoss::cross_entropy) {
    const torch::Tensor y = labels / labels.sum(1, true) * (1 - smoothing) + spread;
    return -(y * scores.log_softmax(1)).sum(1).mean();
  }
  const torch::Tensor z = labels * (1 - smoothing) + spread, s = scores + offset;
  return -(z * torch::log_sigmoid(s) + (1 - z) * torch::log_sigmoid(-s)).sum(1).mean();
}

}  // namespace hasa
