#include "hasa/ops/table/row_loss.h"

#include "hasa/base/error.h"

namespace hasa {

torch::Tensor row_losses(const torch::Tensor& scores, const RowLoss& loss) {
  HASA_CHECK(scores.dim() == 2 && scores.size(1) >= 2, shape,
             "row_losses: expected [queries, 1 + candidates] with a candidate at least");
  const torch::Tensor answer = scores.select(1, 0), others = scores.slice(1, 1);
  switch (loss.kind) {
    case RowLossKind::self_adversarial: {
      const torch::Tensor weights = (others.detach() * loss.temperature).softmax(1);
      const torch::Tensor of_others = (weights * torch::log_sigmoid(-loss.offset - others)).sum(1);
      return (torch::log_sigmoid(loss.offset + answer) + of_others) * -0.5;
    }
    case RowLossKind::cross_entropy: return scores.logsumexp(1) - answer;
    case RowLossKind::bce:
      return -torch::log_sigmoid(loss.offset + answer) - torch::log_sigmoid(-loss.offset - others).sum(1);
    case RowLossKind::margin: return torch::relu(loss.offset - answer.unsqueeze(1) + others).mean(1);
  }
  return {};
}

}  // namespace hasa
