#pragma once

#include <torch/types.h>

#include "hasa/ops/graph/path_batch.h"

namespace hasa {

/// The learned vectors of a path layer's end, [dim] each, float32.
struct PathUpdateParameters {
  torch::Tensor bias, norm_weight, norm_bias;
};

/// The new states of a path layer:
///
///   y = z_1 + bias                                      z [rows, dim], or
///   y = z_1 + s z_2 + z_3 / max(s, 0.01) + bias         z [rows, 3 dim] = (z_1, z_2, z_3)
///   out = max(0, LayerNorm(y) * norm_weight + norm_bias) + before
///
/// s is the scale of the row's entity (PathBatch), so PNA's three degree scalers cost a product of a third of the
/// width; before [rows[layer - 1], dim] are the states that the pairs reached earlier had, zeros for the others. z and
/// before are float32, or on a GPU bfloat16 with float32 in between. dim as in path_messages. Differentiable in
/// everything but s; without atomics, and the same for any number of threads.
torch::Tensor path_update(const torch::Tensor& z, const PathUpdateParameters& parameters, const torch::Tensor& before,
                          const PathBatchPtr& batch, std::int64_t layer);

/// The same out of tensor operations, in the dtype it is given; differentiable by autograd.
torch::Tensor path_update_reference(const torch::Tensor& z, const PathUpdateParameters& parameters,
                                    const torch::Tensor& before, const PathBatchPtr& batch, std::int64_t layer);

}  // namespace hasa
