#pragma once

#include <torch/types.h>

#include "hasa/ops/score/similarity.h"
#include "hasa/ops/table/row_rule.h"

namespace hasa {

/// What a rule remembers of a table, in float32.
struct RowState {
  torch::Tensor squares;  // [rows, d]; row_adagrad: [rows]
  torch::Tensor means;    // adam: [rows, d]; else undefined

  static RowState of(const torch::Tensor& table, RowRule rule);
};

/// Gradients of rows as sampled_loss leaves them: that of candidates[q, j] gets coefficients[q, j] times the slope of
/// the similarity (score/similarity_terms.h) at (row, queries[q]).
struct SampledRows {
  torch::Tensor queries;       // [q, d]; undefined: there are none
  torch::Tensor candidates;    // [q, c] int32
  torch::Tensor coefficients;  // [q, c]
  Similarity similarity = Similarity::dot;
  torch::Tensor cells;  // [m] int64, rising: those of the q c candidates that count, if not all; the others, whatever
                        // they are, name no row
};

/// Gradients of rows as they are.
struct DirectRows {
  torch::Tensor ids;    // [m] int32; undefined: there are none
  torch::Tensor grads;  // [m, d]
};

/// Adds up the gradients of every row that is named, however often, and changes it by the rule; no other row, and
/// nothing of its state, is touched or read.
///
/// table [rows, d] float32 or bfloat16, contiguous; all else is float32. The changed numbers of a bfloat16 table are
/// rounded at random (core/random_rounding.h), by the step's seed. A row's gradients are added in the order they are
/// named, the sampled first: deterministic, for any number of threads; on a GPU likewise. Ids must be rows of the
/// table. The host does not wait.
void update_rows(const torch::Tensor& table, const RowState& state, const SampledRows& sampled,
                 const DirectRows& direct, const RowStep& step);

struct RowUpdateReference {
  torch::Tensor table;
  RowState state;
};
/// Row by row in double, on the CPU; changes nothing, and rounds nothing.
RowUpdateReference update_rows_reference(const torch::Tensor& table, const RowState& state, const SampledRows& sampled,
                                         const DirectRows& direct, const RowStep& step);

}  // namespace hasa
