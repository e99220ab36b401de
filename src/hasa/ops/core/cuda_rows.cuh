#pragma once

// Kernels on rows of eight columns a thread: loads and stores of 16 bytes, sums over a block, sums down columns.
// For .cu files alone.

#include <cuda_bf16.h>

#include <atomic>
#include <cstdint>

#include "hasa/ops/core/launch.cuh"

namespace hasa::kernels {

using BFloat16 = __nv_bfloat16;

constexpr int kEight = 8;
constexpr int kWarp = 32;

/// Eight neighbouring values as they lie in memory, so that loads can be under way before the first is used.
template <class T>
struct Eight;

template <>
struct Eight<float> {
  float4 low = {}, high = {};

  static __device__ Eight load(const float* from) {
    const auto* p = reinterpret_cast<const float4*>(from);
    return {p[0], p[1]};
  }
  __device__ void unpack(float (&v)[kEight]) const {
    v[0] = low.x;
    v[1] = low.y;
    v[2] = low.z;
    v[3] = low.w;
    v[4] = high.x;
    v[5] = high.y;
    v[6] = high.z;
    v[7] = high.w;
  }
};

template <>
struct Eight<BFloat16> {
  uint4 raw = {};

  static __device__ Eight load(const BFloat16* from) { return {*reinterpret_cast<const uint4*>(from)}; }
  __device__ void unpack(float (&v)[kEight]) const {
    const std::uint32_t words[4] = {raw.x, raw.y, raw.z, raw.w};
#pragma unroll
    for (int i = 0; i < 4; ++i) {  // a bfloat16 is the upper half of a float
      v[2 * i] = __uint_as_float(words[i] << 16);
      v[2 * i + 1] = __uint_as_float(words[i] & 0xffff0000U);
    }
  }
};

inline __device__ void store_eight(float* to, const float (&v)[kEight]) {
  auto* p = reinterpret_cast<float4*>(to);
  p[0] = {v[0], v[1], v[2], v[3]};
  p[1] = {v[4], v[5], v[6], v[7]};
}
inline __device__ void store_eight(BFloat16* to, const float (&v)[kEight]) {
  __nv_bfloat162 pairs[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) pairs[i] = __floats2bfloat162_rn(v[2 * i], v[2 * i + 1]);
  *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(pairs);
}
inline __device__ void store_one(float* to, float v) { *to = v; }
inline __device__ void store_one(BFloat16* to, float v) { *to = __float2bfloat16_rn(v); }

/// Replaces each v[i] by its sum over the block, in one order for all threads. scratch is not to be written again
/// before the block has met at another barrier: callers take turns between two.
template <int N, int kWarps>
__device__ void block_sums(float (&v)[N], float (&scratch)[kWarps][N]) {
#pragma unroll
  for (int i = 0; i < N; ++i) {
#pragma unroll
    for (int away = kWarp / 2; away > 0; away /= 2) v[i] += __shfl_xor_sync(0xffffffffU, v[i], away);
  }
  const int warps = static_cast<int>(blockDim.x) / kWarp;
  if (warps == 1) return;
  if (threadIdx.x % kWarp == 0) {
#pragma unroll
    for (int i = 0; i < N; ++i) scratch[threadIdx.x / kWarp][i] = v[i];
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < N; ++i) v[i] = scratch[0][i];
  for (int warp = 1; warp < warps; ++warp) {
#pragma unroll
    for (int i = 0; i < N; ++i) v[i] += scratch[warp][i];
  }
}

/// As many blocks as run at once on the GPU. `known` is the caller's memory of the answer for one kernel and one
/// block size: asking takes longer than a launch.
template <class Kernel>
std::int64_t blocks_at_once(Kernel kernel, int threads, std::atomic<int>& known) {
  int blocks = known.load(std::memory_order_relaxed);
  if (blocks == 0) {
    int device = 0, processors = 0, each = 0;
    check_cuda("name its current device", cudaGetDevice(&device));
    check_cuda("count its processors", cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    check_cuda("tell how many blocks run at once",
               cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, threads, 0));
    blocks = processors * (each > 0 ? each : 1);
    known.store(blocks, std::memory_order_relaxed);
  }
  return blocks;
}

/// Threads for a row of that width, eight columns each, in whole warps.
inline int threads_for(std::int64_t width) { return static_cast<int>((width / kEight + kWarp - 1) / kWarp * kWarp); }

/// launch(value, parameter) with a value of the type of each; parameters have the values' type or float.
template <class Launch>
void with_types(bool is_bfloat16, bool parameters_are_float, const Launch& launch) {
  if (!is_bfloat16) {
    launch(float{}, float{});
  } else if (parameters_are_float) {
    launch(BFloat16{}, float{});
  } else {
    launch(BFloat16{}, BFloat16{});
  }
}

template <class P>
struct ColumnSums {
  P* out[3];  // each [width], or null
};

/// out[part][c] = sum over blocks of partial[block, part, c], in a fixed order. Grid: (ceil(width / 32), parts).
template <class P>
__global__ void column_sums_kernel(const float* partial, std::int64_t blocks, std::int64_t width, ColumnSums<P> sums) {
  __shared__ float scratch[kWarp][kWarp + 1];
  P* out = blockIdx.y == 0 ? sums.out[0] : blockIdx.y == 1 ? sums.out[1] : sums.out[2];
  if (out == nullptr) return;
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * kWarp + threadIdx.x;
  float sum = 0;
  if (column < width) {
#pragma unroll 8
    for (std::int64_t b = threadIdx.y; b < blocks; b += kWarp)
      sum += partial[(b * gridDim.y + blockIdx.y) * width + column];
  }
  scratch[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y != 0 || column >= width) return;
  sum = 0;
#pragma unroll
  for (int y = 0; y < kWarp; ++y) sum += scratch[y][threadIdx.x];
  store_one(out + column, sum);
}

template <class P>
void column_sums(const float* partial, std::int64_t blocks, int parts, std::int64_t width, ColumnSums<P> sums,
                 void* stream) {
  const dim3 grid(blocks_for(width, kWarp), static_cast<unsigned>(parts));
  launch(column_sums_kernel<P>, {grid, {kWarp, kWarp}}, stream, partial, blocks, width, sums);
}

}  // namespace hasa::kernels
