#include "hasa/dist/row_exchange.h"

#include <ATen/core/grad_mode.h>

#include "hasa/base/error.h"

namespace hasa {
namespace {

/// The places of the cells that name rows of a share.
torch::Tensor naming(const torch::Tensor& cells, RowShare rows) {
  return cells.ge(rows.first).logical_and_(cells.lt(rows.first + rows.count)).nonzero().view({-1});
}

}  // namespace

RowExchange::RowExchange(const torch::Tensor& cells, std::int64_t rows, Comm& comm)
    : comm_(comm), columns_(cells.size(1)) {
  HASA_CHECK(cells.dim() == 2, shape, "row exchange: expected cells [batch, c]");
  const std::int64_t batch = cells.size(0);
  const torch::Tensor flat = cells.reshape({-1});
  const RowShare own = comm.share_of(rows), share = comm.share_of(batch);
  places_ = naming(flat, own);
  rows_ = flat.index_select(0, places_).to(torch::kInt64) - own.first;

  const torch::Tensor here = flat.narrow(0, share.first * columns_, share.count * columns_);
  std::vector<torch::Tensor> by_process;
  std::vector<std::int64_t> ends;  // of the processes' shares of the cells
  for (int r = 0; r < comm.size(); ++r) {
    by_process.push_back(naming(here, Comm::share_of(rows, r, comm.size())));
    rows_of_.push_back(by_process.back().size(0));
    const RowShare theirs = Comm::share_of(batch, r, comm.size());
    ends.push_back((theirs.first + theirs.count) * columns_);
  }
  order_ = torch::cat(by_process);
  HASA_CHECK(order_.size(0) == here.size(0), shape, "row exchange: a cell names none of {} rows", rows);
  const torch::Tensor counts = torch::searchsorted(places_, torch::tensor(ends, places_.options())).cpu();
  for (int r = 0; r < comm.size(); ++r) {
    const std::int64_t before = r == 0 ? 0 : counts[r - 1].item<std::int64_t>();
    cells_of_.push_back(counts[r].item<std::int64_t>() - before);
  }
}

torch::Tensor RowExchange::to_cells(const torch::Tensor& of_rows) const {
  const at::NoGradGuard no_gradients;
  const torch::Tensor received = comm_.all_to_all(of_rows, cells_of_, rows_of_);
  std::vector<std::int64_t> shape = of_rows.sizes().vec();
  shape[0] = columns_;
  shape.insert(shape.begin(), order_.size(0) / columns_);
  return torch::empty_like(received).index_copy_(0, order_, received).view(shape);
}

torch::Tensor RowExchange::to_rows(const torch::Tensor& of_cells) const {
  const at::NoGradGuard no_gradients;
  return comm_.all_to_all(of_cells.flatten(0, 1).index_select(0, order_), rows_of_, cells_of_);
}

}  // namespace hasa
