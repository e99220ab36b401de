#pragma once

#include <torch/types.h>

#include <cstdint>

namespace hasa {

/// b laid out once for many products a x b on the CPU: the numbers of ordered_product(a, b), to the bit. With few rows
/// in a, ordered_product spends most of its time on rearranging b; here b is read once from end to end, so that a
/// product takes as long as reading b from memory. As much memory as b takes. From any thread.
class PreparedProduct {
 public:
  /// b [depth, columns] float32 on the CPU, of any strides.
  explicit PreparedProduct(const torch::Tensor& b);

  /// a [rows, depth] float32 on the CPU -> [rows, columns]. No gradient.
  torch::Tensor operator()(const torch::Tensor& a) const;

 private:
  std::int64_t depth_, columns_;
  torch::Tensor panels_;
};

}  // namespace hasa
