#include "hasa/families/table/sharded_step.h"

#include <torch/csrc/autograd/autograd.h>

#include "hasa/ops/table/listed_scores.h"
#include "hasa/ops/table/row_loss.h"

namespace hasa {

ShardedStep::ShardedStep(const torch::Tensor& table, std::int64_t entities, const torch::Tensor& ends, Comm& comm)
    : table_(table.detach()), entities_(entities), comm_(comm), ends_(ends, entities, comm) {}

torch::Tensor ShardedStep::end_vectors() const {
  return ends_.to_cells(table_.index_select(0, ends_.rows())).to(torch::kFloat32);
}

DirectRows ShardedStep::end_gradients(const torch::Tensor& of_share) const {
  return {ends_.rows().to(torch::kInt32), ends_.to_rows(of_share)};
}

ShardedStep::Loss ShardedStep::sampled_loss(const torch::Tensor& queries, const torch::Tensor& candidates,
                                            Similarity similarity, const RowLoss& loss,
                                            const torch::Tensor& weights) const {
  const std::int64_t batch = candidates.size(0), columns = candidates.size(1);
  const torch::Tensor all_queries = comm_.gather_shares(queries.detach(), batch);
  const RowExchange named(candidates, entities_, comm_);
  const torch::Tensor begins = torch::arange(batch + 1, named.places().options()) * columns;
  const RaggedIds here{named.rows(), torch::searchsorted(named.places(), begins)};

  const torch::Tensor scores_here = listed_scores(all_queries, table_, here, similarity);
  const torch::Tensor scores = named.to_cells(scores_here).requires_grad_();
  const torch::Tensor total = row_losses(scores, loss).dot(weights);
  const torch::Tensor slopes = torch::autograd::grad({total}, {scores})[0];
  const ListedGradient gradient =
      listed_gradient(all_queries, table_, here, scores_here, named.to_rows(slopes), similarity);

  torch::Tensor coefficients = torch::zeros({batch * columns}, gradient.coefficients.options());
  coefficients.index_copy_(0, named.places(), gradient.coefficients);
  const std::int64_t first = comm_.share_of(entities_).first;
  return {total.detach(),
          comm_.sum_shares(gradient.query_grad),
          {all_queries, candidates - first, coefficients.view({batch, columns}), similarity, named.places()}};
}

}  // namespace hasa
