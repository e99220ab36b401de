#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "hasa/dist/comm.h"

namespace hasa {

/// The rows of a sharded table, where the cells of a batch name some of them. Both are divided by Comm::share_of, the
/// table by its rows and the batch by its first dimension. What is known of a named row, and what comes back to it,
/// goes between the process whose cell names it and the process that has it, and nowhere else. All calls are
/// everyone's.
class RowExchange {
 public:
  /// cells [batch, c] of integers below `rows`, the same on every process: nobody need be told who names what.
  RowExchange(const torch::Tensor& cells, std::int64_t rows, Comm& comm);

  /// The cells that name rows of this process: their places among the batch * c, rising. [m] int64
  const torch::Tensor& places() const { return places_; }
  /// The rows they name, counted from this process's first. [m] int64
  const torch::Tensor& rows() const { return rows_; }

  /// Something for each of those [m, ...] -> for each cell of this process's share of the batch [share, c, ...].
  torch::Tensor to_cells(const torch::Tensor& of_rows) const;
  /// The way back: [share, c, ...] -> [m, ...].
  torch::Tensor to_rows(const torch::Tensor& of_cells) const;

 private:
  Comm& comm_;
  std::int64_t columns_;
  torch::Tensor places_, rows_;
  torch::Tensor order_;  // the cells of this process's share, by the process that has their rows
  std::vector<std::int64_t> cells_of_, rows_of_;  // by process: of its cells rows here, of its rows cells here
};

}  // namespace hasa
