#pragma once

#include <cstdint>

#include "hasa/ops/score/similarity.h"

namespace hasa::kernels {

struct ListedPass {
  std::int64_t queries, dim;
  Similarity similarity;
  const float* query;           // [queries, dim]
  bool is_bfloat16;             // the table; else float32
  const void* table;            // [rows, dim]
  const std::int64_t* ids;      // [total]
  const std::int64_t* offsets;  // [queries + 1]
  float* scores;                // [total]; the second pass reads them
  const float* slopes;          // [total], as are the rest of the second pass alone
  float* coefficients;          // [total]
  float* query_grad;            // [queries, dim]
};
void listed_scores_cpu(const ListedPass& pass);
void listed_scores_cuda(const ListedPass& pass, void* stream);
void listed_gradient_cpu(const ListedPass& pass);
void listed_gradient_cuda(const ListedPass& pass, void* stream);

}  // namespace hasa::kernels
