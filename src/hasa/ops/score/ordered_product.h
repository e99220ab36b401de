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

}  // namespace hasa
