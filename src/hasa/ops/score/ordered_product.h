#pragma once

#include <torch/types.h>

namespace hasa {

/// a x b in float32, differentiable in both. On the CPU every number of the result is the sum of its terms in one
/// order (ordered_product_cpu.cpp), whatever stands in the rows and columns beside it: the same bits for any number of
/// threads, in blocks of any shape, for equal rows at any two places. A BLAS promises none of this. On a GPU it is
/// torch::mm, at whatever precision that is set to.
///
/// a [m, k], b [k, n], of any strides -> [m, n]. On the chips measured as fast as torch::mm (MKL) or faster from 16
/// rows on; a single row takes up to twice as long, as b is rearranged first.
torch::Tensor ordered_product(const torch::Tensor& a, const torch::Tensor& b);

/// The right side of many products, rearranged once: most of what the product of a few rows takes. Holds as much memory
/// again as `b`; on a GPU it is `b` itself.
class OrderedColumns {
 public:
  /// b [k, n] float32, of any strides.
  explicit OrderedColumns(const torch::Tensor& b);

  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }

  /// a [m, k] -> [m, n]: the bits of ordered_product(a, b). No gradients.
  torch::Tensor product(const torch::Tensor& a) const;

 private:
  std::int64_t rows_, columns_;
  torch::Tensor panels_;  // or b, where that is on a GPU
};

}  // namespace hasa
