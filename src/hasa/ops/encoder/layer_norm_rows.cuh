#pragma once

// LayerNorm of R rows at once by a block of threads with eight columns each; for .cu files alone.

#include "hasa/ops/core/cuda_rows.cuh"
#include "hasa/ops/encoder/seeded_dropout_kernels.h"

namespace hasa::kernels {

constexpr int kNormThreads = 512;  // eight columns each: the widest row has 4096
constexpr int kNormWarps = kNormThreads / kWarp;

template <int R>
using Scratch = float[kNormWarps][R];

template <int R>
struct RowStatistics {
  float mean[R];
  float inverse_std[R];
};

/// Mean first, then the squares around it: one pass over sums of squares would lose the digits of rows far from 0.
template <int R>
__device__ RowStatistics<R> statistics_of(const float (&s)[R][kEight], bool active, std::int64_t width, float eps,
                                          Scratch<R> (&scratch)[2]) {
  RowStatistics<R> rows;
  const float share = 1.0F / static_cast<float>(width);
  float squares[R];
#pragma unroll
  for (int r = 0; r < R; ++r) {
    rows.mean[r] = 0;
#pragma unroll
    for (int i = 0; i < kEight; ++i) rows.mean[r] += s[r][i];
  }
  block_sums(rows.mean, scratch[0]);
#pragma unroll
  for (int r = 0; r < R; ++r) {
    rows.mean[r] *= share;
    squares[r] = 0;
#pragma unroll
    for (int i = 0; i < kEight; ++i) squares[r] += (s[r][i] - rows.mean[r]) * (s[r][i] - rows.mean[r]);
    if (!active) squares[r] = 0;
  }
  block_sums(squares, scratch[1]);
#pragma unroll
  for (int r = 0; r < R; ++r) rows.inverse_std[r] = rsqrtf(squares[r] * share + eps);
  return rows;
}

/// v scaled or set to 0, value by value; `at` is the position of v[0] in the tensor, a multiple of 8.
inline __device__ void drop(float (&v)[kEight], std::int64_t at, std::uint64_t key, const DropoutView& dropout) {
  const EightDraws draws = philox(dropout.counter(at / kEight), key);
#pragma unroll
  for (int i = 0; i < kEight; ++i) v[i] = draws[i] >= dropout.threshold ? v[i] * dropout.scale : 0.0F;
}

inline __device__ void add_to(float (&sums)[kEight], const float (&v)[kEight]) {
#pragma unroll
  for (int i = 0; i < kEight; ++i) sums[i] += v[i];
}

template <class P>
__device__ void load_parameter(const void* from, int column, bool active, float (&v)[kEight]) {
  Eight<P> raw{};
  if (active && from != nullptr) raw = Eight<P>::load(static_cast<const P*>(from) + column);
  raw.unpack(v);
}

/// The three sums down a block's rows to partial[block, part, column].
inline __device__ void store_partial(float* partial, std::int64_t width, int column, const float (&first)[kEight],
                                     const float (&second)[kEight], const float (&third)[kEight]) {
  float* to = partial + static_cast<std::int64_t>(blockIdx.x) * 3 * width + column;
  store_eight(to, first);
  store_eight(to + width, second);
  store_eight(to + 2 * width, third);
}

/// Blocks for a kernel that takes some rows at once and strides over the rest.
template <class Kernel>
std::int64_t norm_blocks(Kernel kernel, int rows_at_once, std::int64_t rows, std::int64_t width,
                         std::atomic<int> (&known)[kNormWarps + 1]) {
  const int threads = threads_for(width);
  const std::int64_t most = blocks_at_once(kernel, threads, known[threads / kWarp]);
  const std::int64_t needed = (rows + rows_at_once - 1) / rows_at_once;
  return needed < most ? needed : most;
}

}  // namespace hasa::kernels
