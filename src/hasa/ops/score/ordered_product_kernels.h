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

/// How many columns this CPU takes at a time.
std::int64_t prepared_width();
/// b [depth, columns] as panels of so many columns: panel i is prepared[i * depth * width] on, [depth][width], zeros
/// behind the last column.
void prepare_columns_cpu(const StridedMatrix& b, std::int64_t depth, std::int64_t columns, float* prepared);

/// The same product where b has been prepared.
struct PreparedOrderedProduct {
  std::int64_t rows, columns, depth;
  StridedMatrix a;
  const float* prepared;
  float* out;
};
void prepared_product_cpu(const PreparedOrderedProduct& product);

}  // namespace hasa::kernels
