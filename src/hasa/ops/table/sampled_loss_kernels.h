#pragma once

#include <cstdint>

#include "hasa/ops/core/host_device.h"
#include "hasa/ops/score/similarity.h"
#include "hasa/ops/table/row_loss_kind.h"

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
  const float* weights;            // [queries] of the gradients, or null: one over their number
  float* loss;                     // [queries], not weighted
  float* query_grad;               // [queries, dim]
  float* coefficients;             // [queries, columns]

  HASA_HOST_DEVICE float weight(std::int64_t query_row) const {
    return weights != nullptr ? weights[query_row] : 1.0F / static_cast<float>(queries);
  }
};
void sampled_loss_cpu(const SampledPass& pass);
void sampled_loss_cuda(const SampledPass& pass, void* stream);

}  // namespace hasa::kernels
