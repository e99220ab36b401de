#pragma once

#include <torch/types.h>

#include "hasa/ops/score/similarity.h"
#include "hasa/ops/table/row_loss_kind.h"

namespace hasa {

/// What a step over candidates of their own comes to.
struct SampledLoss {
  torch::Tensor loss;          // [] mean over the queries, or their weighted sum
  torch::Tensor query_grad;    // [q, d] the gradient of the loss in the queries
  torch::Tensor coefficients;  // [q, 1 + n]: the gradient in a candidate's row is its coefficient times the slope of
                               // the similarity (ops/score/similarity_terms.h), which row_update adds up
};

/// The loss of queries whose candidates are rows of a table, each query with its own, and its gradients, in one pass:
/// rows are gathered, scored and let go, so that no [q, n, d] is ever held.
///
/// queries [q, d] float32, table [entities, d] float32 or bfloat16, both contiguous; candidates [q, 1 + n] int32, the
/// answer first, n >= 1; weights [q] float32, or undefined for 1 / q each. A candidate may occur often. Sums, and all
/// that comes back, are float32. Deterministic, for any number of threads. No autograd.
SampledLoss sampled_loss(const torch::Tensor& queries, const torch::Tensor& table, const torch::Tensor& candidates,
                         Similarity similarity, const RowLoss& loss, const torch::Tensor& weights = {});

/// The same from [q, n, d] in double, by autograd, with the gradient of the whole table.
struct SampledLossReference {
  torch::Tensor loss, query_grad, table_grad;
};
SampledLossReference sampled_loss_reference(const torch::Tensor& queries, const torch::Tensor& table,
                                            const torch::Tensor& candidates, Similarity similarity, const RowLoss& loss,
                                            const torch::Tensor& weights = {});

}  // namespace hasa
