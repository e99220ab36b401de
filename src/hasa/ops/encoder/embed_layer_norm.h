#pragma once

#include <torch/types.h>

#include "hasa/ops/encoder/seeded_dropout.h"

namespace hasa {

/// Rows of the tables of an encoder that meet in its first layer.
struct EmbeddingTables {
  torch::Tensor words;      // [vocabulary, width]
  torch::Tensor positions;  // [positions, width]
  torch::Tensor segments;   // [types, width], or undefined
  torch::Tensor soft;       // [soft tokens, width]: rows of tokens that are no words; or undefined: there are none
};
/// Which row each token takes of each; int64, in range.
struct EmbeddingIds {
  torch::Tensor words;      // [tokens]; -1 - i: row i of soft
  torch::Tensor positions;  // [tokens]
  torch::Tensor segments;   // [tokens], or undefined: row 0 for every token
};

/// The first layer of an encoder:
///
///   s = words[id] + positions[place] + segments[type], or soft[-1 - id] in the word's place where id < 0,
///   out = dropout((s - mean(s)) / sqrt(variance(s) + eps) * weight + bias)
///
/// row by row, [tokens, width]. Tables have one dtype, which out has too; weight and bias [width] that or float32.
/// Sums, mean and variance (of the population) are float32. Differentiable in tables, weight and bias; the
/// gradients of tables are dense, and summed in float32 in a fixed order however often a row is named.
///
/// CUDA kernels take float32 and bfloat16 and widths that are multiples of 8 up to 4096; all else is tensor
/// operations.
torch::Tensor embed_layer_norm(const EmbeddingTables& tables, const EmbeddingIds& ids, const torch::Tensor& weight,
                               const torch::Tensor& bias, double eps, const SeededDropout& dropout = {});

/// words[id], or soft[-1 - id] where id < 0: [tokens, width], by tensor operations, differentiable in both tables. ids
/// [tokens] int32 or int64.
torch::Tensor word_rows(const torch::Tensor& words, const torch::Tensor& soft, const torch::Tensor& ids);

/// The obvious loop in double, on the CPU.
torch::Tensor embed_layer_norm_reference(const EmbeddingTables& tables, const EmbeddingIds& ids,
                                         const torch::Tensor& weight, const torch::Tensor& bias, double eps,
                                         const SeededDropout& dropout = {});

}  // namespace hasa
