#include <torch/csrc/autograd/autograd.h>

#include "hasa/ops/score/pair_scores.h"
#include "hasa/ops/table/listed_scores.h"

namespace hasa {

ListedReference listed_reference(const torch::Tensor& queries_in, const torch::Tensor& table_in,
                                 const RaggedIds& candidates, const torch::Tensor& slopes, Similarity similarity) {
  const auto leaf = [](const torch::Tensor& x) { return x.detach().to(torch::kFloat64).clone().requires_grad_(); };
  const torch::Tensor queries = leaf(queries_in), table = leaf(table_in);
  const torch::Tensor scores = similarity_reference(queries.index_select(0, candidates.row_of_each()),
                                                    table.index_select(0, candidates.ids), similarity);
  const auto grads = torch::autograd::grad({scores}, {queries, table}, {slopes.to(torch::kFloat64)});
  return {scores.detach(), grads[0], grads[1]};
}

}  // namespace hasa
