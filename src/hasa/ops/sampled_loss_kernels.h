#pragma once

#include <cstdint>

#include "hasa/ops/row_loss_kind.h"
#include "hasa/ops/similarity.h"

namespace hasa::kernels {

struct SampledPass {
  std::int64_t queries, columns, dim;  // columns: the answer and its rivals
  Similarity similarity;
  RowLossKind kind;
  float offset, temperature;
  const float* query;              // [queries, dim]
  bool is_bfloat16;                // the table; else float32
  const void* table;               // [entities, dim]
  const std::int32_t* candidates;  // [queries, columns]
  float* loss;                     // [queries], not yet divided by their number, as are the others
  float* query_grad;               // [queries, dim]
  float* coefficients;             // [queries, columns]
};
void sampled_loss_cpu(const SampledPass& pass);
void sampled_loss_cuda(const SampledPass& pass, void* stream);

}  // namespace hasa::kernels
