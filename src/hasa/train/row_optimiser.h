#pragma once

#include <memory>
#include <string>

#include "hasa/ops/table/row_update.h"
#include "hasa/train/optimiser.h"

namespace hasa {

/// The gradients of a table in which few rows change.
struct RowGradients {
  SampledRows sampled;
  DirectRows direct;
  torch::Tensor length;  // [] norm over heads and relations: shows whether there are gradients, and whether they are
                         // numbers
};

/// Updates the rows of a large table that a step has used, and other parameters densely. The table
/// may be bfloat16; its stochastic rounding depends on the number of steps taken, so an interrupted run resumes
/// identically.
class RowOptimiser : public Optimiser {
 public:
  /// `gradient` is where a step leaves the table's; it must outlive this. Of a sharded table, `table` is a part,
  /// from `first_row` on.
  RowOptimiser(const NamedTensor& table, RowGradients& gradient, const Parameters& others,
               const OptimiserConfig& config, std::int64_t first_row = 0);

  torch::Tensor step(double factor) override;
  NamedTensors state() const override;

 private:
  OptimiserConfig config_;
  NamedTensor table_;
  std::int64_t first_row_;
  RowGradients& gradient_;
  RowRule rule_;
  RowState rows_;
  torch::Tensor steps_;  // [1] int64 on the CPU
  std::unique_ptr<Optimiser> others_;
};

/// Bytes that the state of a table of this size takes.
std::int64_t row_state_bytes(OptimiserKind kind, std::int64_t rows, std::int64_t columns);

}  // namespace hasa
