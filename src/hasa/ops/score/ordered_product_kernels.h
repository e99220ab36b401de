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
  float* out;                       // rows of `columns` numbers, one behind the other
  const float* b_panels = nullptr;  // what pack_columns_cpu made of b, which is then not read
};

void ordered_product_cpu(const OrderedProduct& product);

/// b as this chip's kernel reads it: so many numbers.
std::int64_t packed_columns_size(std::int64_t columns, std::int64_t depth);
void pack_columns_cpu(const StridedMatrix& b, std::int64_t columns, std::int64_t depth, float* panels);

}  // namespace hasa::kernels
