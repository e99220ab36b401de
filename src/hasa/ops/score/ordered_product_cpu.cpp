#include <ATen/Parallel.h>

#include <algorithm>
#include <memory>

#include "hasa/ops/core/cpu_vector.h"
#include "hasa/ops/score/ordered_product_kernels.h"

// As in every fast product, both matrices are copied block by block into panels that the inner loop reads from end to
// end, and that loop holds a tile of the result in registers. What differs from a BLAS: every number of the result is
//
//   ((sum over the first kDepth terms) + (sum over the next kDepth)) + ...,  each sum one term after the other,
//
// at every place of every tile, so the shape of the tiles and who computes them changes nothing.

namespace hasa::kernels {
namespace {

constexpr std::int64_t kDepth = 256;  // a panel of columns stays in the first cache
// A block of each matrix stays in the second cache.
constexpr std::int64_t kRowsOfBlock = 336, kColumnsOfBlock = 512;

using Lanes16 = cpu::Vector;
using Lanes8 = float __attribute__((vector_size(32)));
using Lanes4 = float __attribute__((vector_size(16)));

/// Two vectors of columns, and as many rows as leave registers for both operands.
template <class LanesOfTile, std::int64_t kTileRows>
struct Tile {
  using Lanes = LanesOfTile;
  static constexpr std::int64_t kLanes = sizeof(Lanes) / sizeof(float);
  static constexpr std::int64_t kColumns = 2 * kLanes;
  static constexpr std::int64_t kRows = kTileRows;
};
using TileAvx512 = Tile<Lanes16, 14>;
using TileAvx2 = Tile<Lanes8, 6>;
using TileBaseline = Tile<Lanes4, 4>;

/// A tile of the result, from a panel of a ([depth][kRows]) and one of b ([depth][Tile::kColumns]).
template <class Tile, std::int64_t kRows>
[[gnu::always_inline]] inline void multiply_tile(const float* a, const float* b, std::int64_t depth, bool adds,
                                                 float* out, std::int64_t out_stride, std::int64_t columns) {
  using Lanes = typename Tile::Lanes;
  Lanes sums[kRows][2] = {};
  for (std::int64_t p = 0; p < depth; ++p) {
    Lanes left, right;
    std::memcpy(&left, b + p * Tile::kColumns, sizeof left);
    std::memcpy(&right, b + p * Tile::kColumns + Tile::kLanes, sizeof right);
#pragma GCC unroll 16
    for (std::int64_t i = 0; i < kRows; ++i) {
      sums[i][0] += left * a[p * kRows + i];
      sums[i][1] += right * a[p * kRows + i];
    }
  }
#pragma GCC unroll 16
  for (std::int64_t i = 0; i < kRows; ++i) {
    float* to = out + i * out_stride;
    if (columns == Tile::kColumns) {
      for (int half = 0; half < 2; ++half) {
        Lanes before{};
        if (adds) std::memcpy(&before, to + half * Tile::kLanes, sizeof before);
        const Lanes after = adds ? before + sums[i][half] : sums[i][half];
        std::memcpy(to + half * Tile::kLanes, &after, sizeof after);
      }
    } else {
      float row[Tile::kColumns];
      std::memcpy(row, sums[i], sizeof row);
      for (std::int64_t j = 0; j < columns; ++j) to[j] = adds ? to[j] + row[j] : row[j];
    }
  }
}

/// Four rows of four become four columns of four.
[[gnu::always_inline]] inline void transpose_4x4(const float* from, std::int64_t stride, float* to,
                                                 std::int64_t width) {
  Lanes4 row[4];
  for (std::int64_t i = 0; i < 4; ++i) std::memcpy(&row[i], from + i * stride, sizeof row[i]);
  const Lanes4 low01 = __builtin_shufflevector(row[0], row[1], 0, 4, 1, 5);
  const Lanes4 high01 = __builtin_shufflevector(row[0], row[1], 2, 6, 3, 7);
  const Lanes4 low23 = __builtin_shufflevector(row[2], row[3], 0, 4, 1, 5);
  const Lanes4 high23 = __builtin_shufflevector(row[2], row[3], 2, 6, 3, 7);
  const Lanes4 column[4] = {
      __builtin_shufflevector(low01, low23, 0, 1, 4, 5), __builtin_shufflevector(low01, low23, 2, 3, 6, 7),
      __builtin_shufflevector(high01, high23, 0, 1, 4, 5), __builtin_shufflevector(high01, high23, 2, 3, 6, 7)};
  for (std::int64_t p = 0; p < 4; ++p) std::memcpy(to + p * width, &column[p], sizeof column[p]);
}

/// panel[p * width + i] = from[i * stride + p * depth_stride] for i < count, 0 for the others.
[[gnu::always_inline]] inline void pack(const float* from, std::int64_t stride, std::int64_t depth_stride,
                                        std::int64_t count, std::int64_t width, std::int64_t depth, float* panel) {
  if (stride == 1 && count == width) {
    for (std::int64_t p = 0; p < depth; ++p)
      std::memcpy(panel + p * width, from + p * depth_stride, static_cast<std::size_t>(width) * sizeof(float));
    return;
  }
  if (count < width) std::fill_n(panel, depth * width, 0.0F);
  std::int64_t done = 0;  // rows
  for (; depth_stride == 1 && done + 4 <= count; done += 4) {
    const float* rows = from + done * stride;
    std::int64_t p = 0;
    for (; p + 4 <= depth; p += 4) transpose_4x4(rows + p, stride, panel + p * width + done, width);
    for (; p < depth; ++p)
      for (std::int64_t i = 0; i < 4; ++i) panel[p * width + done + i] = rows[i * stride + p];
  }
  for (; done < count; ++done)
    for (std::int64_t p = 0; p < depth; ++p) panel[p * width + done] = from[done * stride + p * depth_stride];
}

/// The rows of a block as panels of Tile::kRows, the rest in panels of one row.
template <class Tile, class Visit>
[[gnu::always_inline]] inline void for_each_row_panel(std::int64_t rows, const Visit& visit) {
  std::int64_t row = 0;
  for (; row + Tile::kRows <= rows; row += Tile::kRows) visit(row, std::integral_constant<std::int64_t, Tile::kRows>());
  for (; row + 3 <= rows; row += 3) visit(row, std::integral_constant<std::int64_t, 3>());
  for (; row < rows; ++row) visit(row, std::integral_constant<std::int64_t, 1>());
}

struct Block {
  std::int64_t row, rows, column, columns;
};

/// Space for the panels of one thread.
struct Panels {
  alignas(64) float a[kRowsOfBlock * kDepth];
  alignas(64) float b[kColumnsOfBlock * kDepth];
};

/// Columns, the last panel's missing ones among them.
template <class Tile>
constexpr std::int64_t padded(std::int64_t columns) {
  return (columns + Tile::kColumns - 1) / Tile::kColumns * Tile::kColumns;
}

/// One panel of at most Tile::kColumns of the columns that are left.
template <class Tile>
[[gnu::always_inline]] inline void pack_columns(const float* from, const StridedMatrix& b, std::int64_t left,
                                                std::int64_t depth, float* panel) {
  pack(from, b.column_stride, b.row_stride, std::min(Tile::kColumns, left), Tile::kColumns, depth, panel);
}

/// All panels of the first kDepth rows, then all of the next.
template <class Tile>
[[gnu::always_inline]] inline void pack_all_columns(const StridedMatrix& b, std::int64_t columns, std::int64_t depth,
                                                    std::int64_t begin, std::int64_t end, float* panels) {
  for (std::int64_t first = 0; first < depth; first += kDepth) {
    const std::int64_t rows = std::min(kDepth, depth - first);
    for (std::int64_t column = begin; column < end; column += Tile::kColumns) {
      pack_columns<Tile>(b.data + first * b.row_stride + column * b.column_stride, b, columns - column, rows,
                         panels + first * padded<Tile>(columns) + column * rows);
    }
  }
}

template <class Tile>
[[gnu::always_inline]] inline void multiply_block(const OrderedProduct& product, const Block& block, Panels& panels) {
  for (std::int64_t first = 0; first < product.depth; first += kDepth) {
    const std::int64_t depth = std::min(kDepth, product.depth - first);
    const float* a = product.a.data + block.row * product.a.row_stride + first * product.a.column_stride;
    const float* b = product.b.data + first * product.b.row_stride + block.column * product.b.column_stride;
    for_each_row_panel<Tile>(block.rows, [&](std::int64_t row, auto rows) __attribute__((always_inline)) {
      pack(a + row * product.a.row_stride, product.a.row_stride, product.a.column_stride, rows, rows, depth,
           panels.a + row * depth);
    });
    // Packed beforehand, a block's panels lie behind those of the columns before it.
    const float* b_panels = product.b_panels == nullptr
                                ? panels.b
                                : product.b_panels + first * padded<Tile>(product.columns) + block.column * depth;
    for (std::int64_t column = 0; product.b_panels == nullptr && column < block.columns; column += Tile::kColumns) {
      pack_columns<Tile>(b + column * product.b.column_stride, product.b, block.columns - column, depth,
                         panels.b + column * depth);
    }
    for (std::int64_t column = 0; column < block.columns; column += Tile::kColumns) {
      const std::int64_t columns = std::min(Tile::kColumns, block.columns - column);
      for_each_row_panel<Tile>(block.rows, [&](std::int64_t row, auto rows) __attribute__((always_inline)) {
        multiply_tile<Tile, decltype(rows)::value>(
            panels.a + row * depth, b_panels + column * depth, depth, /*adds=*/first > 0,
            product.out + (block.row + row) * product.columns + block.column + column, product.columns, columns);
      });
    }
  }
}

/// Calls use(Tile()) with the tile of this chip, under its instructions.
template <class Use>
void with_tile_of_this_cpu(const Use& use) {
  switch (cpu::vector_level()) {
    case 2: return cpu::run_avx512([&]() __attribute__((always_inline)) { use(TileAvx512()); });
    case 1: return cpu::run_avx2([&]() __attribute__((always_inline)) { use(TileAvx2()); });
    default: return use(TileBaseline());
  }
}

/// Blocks small enough that every thread has some: what they hold changes no number.
std::int64_t block_size(std::int64_t size, std::int64_t largest, std::int64_t step, std::int64_t parts) {
  const std::int64_t fair = (size + parts - 1) / parts;
  return std::clamp((fair + step - 1) / step * step, step, largest);
}

}  // namespace

void ordered_product_cpu(const OrderedProduct& product) {
  if (product.depth == 0) {
    std::fill_n(product.out, product.rows * product.columns, 0.0F);
    return;
  }
  const std::int64_t threads = at::get_num_threads();
  const std::int64_t columns = block_size(product.columns, kColumnsOfBlock, 32, 2 * threads);
  const std::int64_t across = (product.columns + columns - 1) / columns;
  const std::int64_t rows = across >= 2 * threads ? kRowsOfBlock : block_size(product.rows, kRowsOfBlock, 42, threads);
  const std::int64_t down = (product.rows + rows - 1) / rows;
  // Blocks of the same columns follow each other: b is read from memory once.
  at::parallel_for(0, across * down, 1, [&](std::int64_t begin, std::int64_t end) {
    const auto panels = std::make_unique_for_overwrite<Panels>();
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t row = i % down * rows, column = i / down * columns;
      const Block block{row, std::min(rows, product.rows - row), column, std::min(columns, product.columns - column)};
      with_tile_of_this_cpu(
          [&](auto tile) __attribute__((always_inline)) { multiply_block<decltype(tile)>(product, block, *panels); });
    }
  });
}

std::int64_t packed_columns_size(std::int64_t columns, std::int64_t depth) {
  std::int64_t size = 0;
  with_tile_of_this_cpu([&](auto tile)
                            __attribute__((always_inline)) { size = padded<decltype(tile)>(columns) * depth; });
  return size;
}

void pack_columns_cpu(const StridedMatrix& b, std::int64_t columns, std::int64_t depth, float* panels) {
  const std::int64_t blocks = (columns + kColumnsOfBlock - 1) / kColumnsOfBlock;
  at::parallel_for(0, blocks, 1, [&](std::int64_t begin, std::int64_t end) {
    with_tile_of_this_cpu([&](auto tile) __attribute__((always_inline)) {
      pack_all_columns<decltype(tile)>(b, columns, depth, begin * kColumnsOfBlock,
                                       std::min(columns, end * kColumnsOfBlock), panels);
    });
  });
}

}  // namespace hasa::kernels
