#pragma once

#include <cstdint>

#include "hasa/ops/score/similarity.h"

namespace hasa::kernels {

struct PairScores {
  std::int64_t queries, entities, dim;
  Similarity similarity;
  const float* query;   // [queries, dim]
  const float* entity;  // [entities, dim]
  float* out;           // [queries, entities]
};
void pair_scores_cpu(const PairScores& pass);
void pair_scores_cuda(const PairScores& pass, void* stream);

/// out[i] = sum over j of coefficient(i, j) * slope(x_i, y_j), see similarity_terms.h.
struct PairGradient {
  std::int64_t rows, others, dim;
  Similarity similarity;
  const float* x;                         // [rows, dim]
  const float* y;                         // [others, dim]
  const float* coefficient;               // of i and j at i * row_stride + j * other_stride
  std::int64_t row_stride, other_stride;  // one of them is 1
  float* out;                             // [rows, dim]
};
void pair_gradient_cpu(const PairGradient& pass);
void pair_gradient_cuda(const PairGradient& pass, void* stream);

}  // namespace hasa::kernels
