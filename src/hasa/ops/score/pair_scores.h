#pragma once

#include <torch/types.h>

#include "hasa/ops/score/similarity.h"

namespace hasa {

/// scores[i, j] = similarity of queries[i] and entities[j] (ops/score/similarity.h).
///
/// queries [q, d], entities [n, d]: float32 on one device; d even for negative_modulus. -> [q, n] float32,
/// differentiable in both. No [q, n, d] is ever held. Every score is summed in the same order wherever it stands, so
/// equal rows have equal scores. Where two vectors agree (in a coordinate, for negative_l1) the gradient is 0.
/// Deterministic, for any number of threads. On a GPU the dot product is torch's, at whatever precision it is set to.
torch::Tensor pair_scores(const torch::Tensor& queries, const torch::Tensor& entities, Similarity similarity);

/// Row by row: x [n, d] and y [n, d] -> [n], differentiable by tensor operations.
torch::Tensor similarity_of_rows(const torch::Tensor& x, const torch::Tensor& y, Similarity similarity);

/// The formulas as written, in double, differentiable by autograd. Rows are broadcast: [.., d] and [.., d] -> [..].
torch::Tensor similarity_reference(const torch::Tensor& x, const torch::Tensor& y, Similarity similarity);

}  // namespace hasa
