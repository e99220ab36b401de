#pragma once

#include <cstdint>

namespace hasa::kernels {

/// A matrix anywhere in memory: number (i, j) is data[i * row_stride + j * column_stride].
struct StridedMatrix {
  const float* data;
  std::int64_t row_stride, column_stride;
};

/// out [rows, columns] = a [rows, depth] x b [depth, columns].
struct OrderedProduct {
  std::int64_t rows, columns, depth;
  StridedMatrix a, b;
  float* out;  // rows of `columns` numbers, one behind the other
};

void ordered_product_cpu(const OrderedProduct& product);

}  // namespace hasa::kernels
