#include <torch/csrc/autograd/autograd.h>

#include "hasa/ops/score/pair_scores.h"
#include "hasa/ops/table/row_loss.h"
#include "hasa/ops/table/sampled_loss.h"

namespace hasa {

SampledLossReference sampled_loss_reference(const torch::Tensor& queries_in, const torch::Tensor& table_in,
                                            const torch::Tensor& candidates, Similarity similarity, const RowLoss& loss,
                                            const torch::Tensor& weights) {
  const auto leaf = [](const torch::Tensor& x) { return x.detach().to(torch::kFloat64).clone().requires_grad_(); };
  const torch::Tensor queries = leaf(queries_in), table = leaf(table_in);
  const torch::Tensor rows = table.index_select(0, candidates.reshape({-1}).to(torch::kInt64))
                                 .view({candidates.size(0), candidates.size(1), table.size(1)});
  const torch::Tensor losses = row_losses(similarity_reference(queries.unsqueeze(1), rows, similarity), loss);
  const torch::Tensor total = weights.defined() ? (losses * weights).sum() : losses.mean();
  const auto grads = torch::autograd::grad({total}, {queries, table});
  return {total.detach(), grads[0], grads[1]};
}

}  // namespace hasa
