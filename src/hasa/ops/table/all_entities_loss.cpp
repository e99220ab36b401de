#include "hasa/ops/table/all_entities_loss.h"

#include <torch/csrc/autograd/custom_function.h>

#include "hasa/base/error.h"
#include "hasa/ops/core/kernel_arguments.h"
#include "hasa/ops/table/all_entities_loss_kernels.h"

namespace hasa {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

kernels::AllEntitiesPass loss_pass(const torch::Tensor& scores, const RaggedIds& answers, bool softmax,
                                   double smoothing, double offset) {
  return {scores.size(0),
          scores.size(1),
          softmax,
          static_cast<float>(smoothing),
          static_cast<float>(softmax ? 0 : offset),
          scores.const_data_ptr<float>(),
          answers.ids.const_data_ptr<std::int64_t>(),
          answers.offsets.const_data_ptr<std::int64_t>()};
}

/// On a GPU: two reads and a write of the scores where LibTorch's operations take some twenty.
class FusedLoss : public torch::autograd::Function<FusedLoss> {
 public:
  static torch::Tensor forward(AutogradContext* ctx, const torch::Tensor& scores_in, const torch::Tensor& ids,
                               const torch::Tensor& offsets, bool softmax, double smoothing, double offset) {
    const torch::Tensor scores = scores_in.contiguous();
    torch::Tensor loss = torch::empty({scores.size(0)}, scores.options()), log_sum = torch::empty_like(loss);
    on_cuda([&](void* stream) {
      kernels::all_entities_forward_cuda(loss_pass(scores, {ids, offsets}, softmax, smoothing, offset),
                                         loss.data_ptr<float>(), log_sum.data_ptr<float>(), stream);
    });
    ctx->save_for_backward({scores, ids, offsets, log_sum});
    ctx->saved_data["softmax"] = softmax;
    ctx->saved_data["smoothing"] = smoothing;
    ctx->saved_data["offset"] = offset;
    return loss.mean();
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const torch::Tensor &scores = saved[0], of_loss = grads[0].contiguous();
    torch::Tensor grad = torch::empty_like(scores);
    on_cuda([&](void* stream) {
      kernels::all_entities_backward_cuda(
          loss_pass(scores, {saved[1], saved[2]}, ctx->saved_data["softmax"].toBool(),
                    ctx->saved_data["smoothing"].toDouble(), ctx->saved_data["offset"].toDouble()),
          saved[3].const_data_ptr<float>(), of_loss.const_data_ptr<float>(), grad.data_ptr<float>(), stream);
    });
    return {grad, {}, {}, {}, {}, {}};
  }
};

}  // namespace

torch::Tensor all_entities_loss(const torch::Tensor& scores_in, const RaggedIds& answers, AllEntitiesLoss kind,
                                double smoothing, double offset) {
  HASA_CHECK(scores_in.dim() == 2 && answers.rows() == scores_in.size(0), shape,
             "all_entities_loss: {} rows of scores, answers of {} queries", scores_in.size(0), answers.rows());
  HASA_CHECK(answers.ids.device() == scores_in.device() && answers.offsets.device() == scores_in.device(), shape,
             "all_entities_loss: scores and answers lie on different devices");
  const bool softmax = kind == AllEntitiesLoss::cross_entropy;
  if (scores_in.is_cuda() && scores_in.scalar_type() == torch::kFloat32 && scores_in.numel() > 0)
    return FusedLoss::apply(scores_in, answers.ids.contiguous(), answers.offsets.contiguous(), softmax, smoothing,
                            offset);
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
