#include "hasa/ops/core/launch.cuh"
#include "hasa/ops/score/pair_scores_kernels.h"
#include "hasa/ops/score/similarity_terms.h"

// Distances of all pairs, in tiles as matrix products are done: a block has 64 queries and 64 entities, sixteen places
// of both at a time in shared memory, a thread sixteen of the sums. The gradient of a row is a sum over all others: a
// thread has one place of eight rows, and reads each other row's place once for the eight.

namespace hasa::kernels {
namespace {

constexpr int kTile = 64;
constexpr int kPlaces = 16;
constexpr int kSide = 16;  // threads along a side of a tile
constexpr int kEach = kTile / kSide;

/// Rows first .. first + 64 of places at .. at + 16, zero where there is none, column by column.
template <int kParts>
__device__ void load_tile(const float* matrix, std::int64_t rows, std::int64_t dim, std::int64_t first, std::int64_t at,
                          float (&tile)[kParts][kPlaces][kTile + 1]) {
  const std::int64_t half = dim / kParts;
  for (int cell = static_cast<int>(threadIdx.x); cell < kTile * kPlaces; cell += kSide * kSide) {
    const int place = cell % kPlaces, row = cell / kPlaces;
    const bool there = first + row < rows && at + place < half;
#pragma unroll
    for (int part = 0; part < kParts; ++part)
      tile[part][place][row] = there ? matrix[(first + row) * dim + part * half + at + place] : 0.0F;
  }
}

template <class Terms>
__global__ __launch_bounds__(kSide* kSide) void scores_kernel(PairScores pass) {
  constexpr int kParts = Terms::kParts;
  __shared__ float queries[kParts][kPlaces][kTile + 1], entities[kParts][kPlaces][kTile + 1];
  const std::int64_t first_query = static_cast<std::int64_t>(blockIdx.y) * kTile;
  const std::int64_t first_entity = static_cast<std::int64_t>(blockIdx.x) * kTile;
  const int row = static_cast<int>(threadIdx.x) / kSide, column = static_cast<int>(threadIdx.x) % kSide;
  float sums[kEach][kEach] = {};
  for (std::int64_t at = 0; at < pass.dim / kParts; at += kPlaces) {
    load_tile<kParts>(pass.query, pass.queries, pass.dim, first_query, at, queries);
    load_tile<kParts>(pass.entity, pass.entities, pass.dim, first_entity, at, entities);
    __syncthreads();
#pragma unroll
    for (int place = 0; place < kPlaces; ++place) {
      float x[kEach][kParts], y[kEach][kParts];
#pragma unroll
      for (int k = 0; k < kEach; ++k) {
#pragma unroll
        for (int part = 0; part < kParts; ++part) {
          x[k][part] = queries[part][place][row + k * kSide];
          y[k][part] = entities[part][place][column + k * kSide];
        }
      }
#pragma unroll
      for (int i = 0; i < kEach; ++i) {
#pragma unroll
        for (int j = 0; j < kEach; ++j) sums[i][j] += Terms::term(x[i], y[j]);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    const std::int64_t query = first_query + row + i * kSide;
#pragma unroll
    for (int j = 0; j < kEach; ++j) {
      const std::int64_t entity = first_entity + column + j * kSide;
      if (query < pass.queries && entity < pass.entities)
        pass.out[query * pass.entities + entity] = Terms::score(sums[i][j]);
    }
  }
}

constexpr int kRows = 8;
constexpr int kThreads = 128;
constexpr int kOthers = 64;  // whose coefficients are in shared memory at a time

template <class Terms>
__global__ __launch_bounds__(kThreads) void gradient_kernel(PairGradient pass) {
  constexpr int kParts = Terms::kParts;
  __shared__ float coefficients[kOthers][kRows];
  const std::int64_t half = pass.dim / kParts, first = static_cast<std::int64_t>(blockIdx.y) * kRows;
  const std::int64_t place = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  const bool there = place < half;
  float x[kRows][kParts] = {}, sums[kRows][kParts] = {};
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
#pragma unroll
    for (int part = 0; part < kParts; ++part) {
      if (there && first + i < pass.rows) x[i][part] = pass.x[(first + i) * pass.dim + part * half + place];
    }
  }
  for (std::int64_t begin = 0; begin < pass.others; begin += kOthers) {
    __syncthreads();
    for (int cell = static_cast<int>(threadIdx.x); cell < kOthers * kRows; cell += kThreads) {
      const int i = cell % kRows, j = cell / kRows;
      const bool inside = first + i < pass.rows && begin + j < pass.others;
      coefficients[j][i] =
          inside ? pass.coefficient[(first + i) * pass.row_stride + (begin + j) * pass.other_stride] : 0.0F;
    }
    __syncthreads();
    if (!there) continue;
    const int count = static_cast<int>(pass.others - begin < kOthers ? pass.others - begin : kOthers);
#pragma unroll 4
    for (int j = 0; j < count; ++j) {
      float y[kParts];
#pragma unroll
      for (int part = 0; part < kParts; ++part) y[part] = pass.y[(begin + j) * pass.dim + part * half + place];
#pragma unroll
      for (int i = 0; i < kRows; ++i) Terms::add_slope(x[i], y, coefficients[j][i], sums[i]);
    }
  }
  if (!there) return;
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
#pragma unroll
    for (int part = 0; part < kParts; ++part) {
      if (first + i < pass.rows) pass.out[(first + i) * pass.dim + part * half + place] = sums[i][part];
    }
  }
}

}  // namespace

void pair_scores_cuda(const PairScores& pass, void* stream) {
  const dim3 grid(blocks_for(pass.entities, kTile), blocks_for(pass.queries, kTile));
  with_terms(pass.similarity,
             [&](auto terms) { launch(scores_kernel<decltype(terms)>, {grid, kSide * kSide}, stream, pass); });
}

void pair_gradient_cuda(const PairGradient& pass, void* stream) {
  with_terms(pass.similarity, [&](auto terms) {
    using Terms = decltype(terms);
    // Many rows take turns: a grid has at most 65,535 of them.
    for (std::int64_t first = 0; first < pass.rows; first += 65535L * kRows) {
      PairGradient part = pass;
      part.rows = pass.rows - first < 65535L * kRows ? pass.rows - first : 65535L * kRows;
      part.x += first * pass.dim;
      part.out += first * pass.dim;
      part.coefficient += first * pass.row_stride;
      const dim3 grid(blocks_for(pass.dim / Terms::kParts, kThreads), blocks_for(part.rows, kRows));
      launch(gradient_kernel<Terms>, {grid, kThreads}, stream, part);
    }
  });
}

}  // namespace hasa::kernels
