#include "hasa/loss/info_nce.h"

#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <limits>

#include "hasa/base/error.h"

namespace hasa {
namespace {

/// Loss and gradients of some of the queries, not yet divided by their number.
struct Part {
  torch::Tensor loss;           // []
  torch::Tensor queries_grad;   // [rows, dim]
  torch::Tensor entities_grad;  // [entities, dim]
  torch::Tensor scale_grad;     // []
};

/// The loss equals the cross-entropy of the positive, its score lowered by the margin, among the candidates
/// left; so the gradient of the scores is softmax minus one at the positive.
Part loss_of_rows(const torch::Tensor& queries, const torch::Tensor& entities, const torch::Tensor& scale,
                  const torch::Tensor& positive, const RaggedIds& excluded, double margin) {
  const torch::Tensor at = positive.unsqueeze(1);
  torch::Tensor logits = torch::mm(queries, entities.t());  // [rows, entities]
  const torch::Tensor own = logits.gather(1, at) - margin;
  const float hidden = -std::numeric_limits<float>::infinity();
  logits.mul_(scale);
  logits.index_put_({excluded.row_of_each(), excluded.ids}, torch::full({}, hidden, logits.options()));
  logits.scatter_(1, at, own * scale);

  // Softmax by hand: its sums divide the narrow matrices around the products, not the wide one between them.
  const torch::Tensor largest = logits.amax(1, /*keepdim=*/true);
  torch::Tensor& weight = logits.sub_(largest).exp_();
  const torch::Tensor sum = weight.sum(1, /*keepdim=*/true);
  Part part;
  part.loss = (largest + sum.log() - own * scale).sum();
  weight.scatter_add_(1, at, -sum);
  part.queries_grad = torch::mm(weight, entities).mul_(scale / sum);
  part.entities_grad = torch::mm(weight.t(), queries * (scale / sum));
  // d score / d scale is the product itself, the margin being taken as it stands: sum of p (q . e) is q . (p e).
  part.scale_grad = (part.queries_grad * queries).sum() / scale;
  return part;
}

struct InfoNceOverAll : torch::autograd::Function<InfoNceOverAll> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& queries,
                               const torch::Tensor& entities, const torch::Tensor& scale, const torch::Tensor& positive,
                               const RaggedIds& excluded, double margin, std::int64_t block) {
    const std::int64_t count = queries.size(0);
    torch::Tensor queries_grad = torch::empty_like(queries);
    torch::Tensor entities_grad, scale_grad, loss;
    for (std::int64_t first = 0; first < count; first += block) {
      const std::int64_t last = std::min(count, first + block);
      const bool whole = first == 0 && last == count;
      Part part = loss_of_rows(queries.slice(0, first, last), entities, scale, positive.slice(0, first, last),
                               whole ? excluded : excluded.slice(first, last), margin);
      queries_grad.slice(0, first, last).copy_(part.queries_grad);
      entities_grad = first == 0 ? part.entities_grad : entities_grad.add_(part.entities_grad);
      scale_grad = first == 0 ? part.scale_grad : scale_grad + part.scale_grad;
      loss = first == 0 ? part.loss : loss + part.loss;
    }
    context->save_for_backward({queries_grad, entities_grad, scale_grad});
    context->saved_data["queries"] = count;
    return loss / static_cast<double>(count);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& grads) {
    const auto saved = context->get_saved_variables();
    const torch::Tensor factor = grads[0] / static_cast<double>(context->saved_data["queries"].toInt());
    return {saved[0] * factor, saved[1] * factor, saved[2] * factor, {}, {}, {}, {}};
  }
};

}  // namespace

torch::Tensor info_nce_over_all(const AllEntitiesBatch& batch, const InfoNceConfig& config,
                                std::int64_t workspace_bytes) {
  const std::int64_t queries = batch.queries.size(0), entities = batch.entities.size(0);
  HASA_CHECK(queries > 0 && batch.positive.size(0) == queries && batch.excluded.rows() == queries, shape,
             "info_nce_over_all: {} queries, {} positives, {} rows of excluded entities", queries,
             batch.positive.size(0), batch.excluded.rows());
  HASA_CHECK(batch.queries.size(1) == batch.entities.size(1), shape,
             "info_nce_over_all: queries of {} columns, entities of {}", batch.queries.size(1), batch.entities.size(1));
  const std::int64_t row_bytes = entities * static_cast<std::int64_t>(sizeof(float));
  const std::int64_t block = std::clamp<std::int64_t>(workspace_bytes / row_bytes, 1, queries);
  return InfoNceOverAll::apply(batch.queries.contiguous(), batch.entities.contiguous(), batch.scale, batch.positive,
                               batch.excluded, config.margin, block);
}

}  // namespace hasa
