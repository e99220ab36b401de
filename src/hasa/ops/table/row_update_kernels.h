#pragma once

#include <cstdint>

#include "hasa/ops/score/similarity.h"
#include "hasa/ops/table/row_rule.h"

namespace hasa::kernels {

struct RowUpdate {
  std::int64_t tokens;            // a token is one mention of a row: first the sampled, then the direct ones
  std::int64_t rows, dim;         // of the table
  std::int64_t sampled, columns;  // how many are sampled, and how many of them a query has
  Similarity similarity;
  const std::int32_t* sorted;  // [tokens] ids in order
  const std::int64_t* order;   // [tokens] the token of each; of one id, rising
  const float* queries;        // [sampled / columns, dim]
  const float* coefficients;   // [sampled]
  const float* direct;         // [tokens - sampled, dim]
  RowRule rule;
  float rate;               // adam: with the correction of the means
  float shrink;             // 1 - rate * decay
  float square_correction;  // adam: 1 / (1 - .999^t)
  bool is_bfloat16;         // the table; else float32
  std::uint64_t seed;       // of its rounding
  std::int64_t first_row;   // likewise
  void* table;
  float* squares;
  float* means;
  std::int32_t* starts;  // GPU: [1 + tokens], scratch; the first is 0 on entry
};
void update_rows_cpu(const RowUpdate& pass);
void update_rows_cuda(const RowUpdate& pass, void* stream);

}  // namespace hasa::kernels
