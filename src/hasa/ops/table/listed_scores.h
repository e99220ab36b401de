#pragma once

#include <torch/types.h>

#include "hasa/ops/core/ragged_ids.h"
#include "hasa/ops/score/similarity.h"

namespace hasa {

/// The two halves of sampled_loss, for candidates that are listed: where the rows of a table are divided, a process
/// scores those of a query's candidates that it has, and somebody else computes the loss in between.
///
/// queries [q, d] float32, table [rows, d] float32 or bfloat16, both contiguous; candidates: a list of rows for each
/// query, the lists one after the other without a gap. -> [total] float32. On a CPU a score is the same to the bit as
/// in sampled_loss. Deterministic, for any number of threads. No autograd.
torch::Tensor listed_scores(const torch::Tensor& queries, const torch::Tensor& table, const RaggedIds& candidates,
                            Similarity similarity);

/// What the slopes of a loss in those scores, [total], come to.
struct ListedGradient {
  torch::Tensor query_grad;    // [q, d], added in the order of the lists
  torch::Tensor coefficients;  // [total], as sampled_loss leaves them for row_update
};
ListedGradient listed_gradient(const torch::Tensor& queries, const torch::Tensor& table, const RaggedIds& candidates,
                               const torch::Tensor& scores, const torch::Tensor& slopes, Similarity similarity);

/// From [total, d] in double, by autograd, with the gradient of the whole table.
struct ListedReference {
  torch::Tensor scores, query_grad, table_grad;
};
ListedReference listed_reference(const torch::Tensor& queries, const torch::Tensor& table, const RaggedIds& candidates,
                                 const torch::Tensor& slopes, Similarity similarity);

}  // namespace hasa
