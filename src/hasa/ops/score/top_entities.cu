#include <cstdint>

#include "hasa/ops/core/launch.cuh"
#include "hasa/ops/score/top_entities_cuda.h"

namespace hasa::kernels {
namespace {

constexpr int kThreads = 256;
constexpr int kWarpThreads = 32;
constexpr long long kNothing = -0x7fffffffffffffffLL - 1;
constexpr long long kMostId = 0x7fffffff;

/// A block for each row.
__global__ void leave_out_kernel(float* scores, std::int64_t columns, std::int64_t first_entity,
                                 const std::int64_t* ids, const std::int64_t* offsets) {
  const std::int64_t row = blockIdx.x, end = offsets[row + 1];
  for (std::int64_t i = offsets[row] + threadIdx.x; i < end; i += blockDim.x) {
    const std::int64_t column = ids[i] - first_entity;
    if (column >= 0 && column < columns) scores[row * columns + column] = __int_as_float(0x7fc00000);
  }
}

__global__ void ids_kernel(const std::int64_t* keys, std::int64_t count, std::int64_t* ids) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) ids[i] = keys[i] == kNothing ? -1 : kMostId - (keys[i] & kMostId);
}

/// As key_of on the host; kNothing for what is not a number.
__device__ long long key_of(float score, long long id) {
  if (score != score) return kNothing;
  const int bits = __float_as_int(score + 0.0F);
  const long long ordered = bits < 0 ? bits ^ 0x7fffffff : bits;
  return ordered * (1LL << 32) + (kMostId - id);
}

__device__ long long greatest_in_block(long long key, long long* scratch) {
  for (int offset = 16; offset > 0; offset /= 2) {
    const long long other = __shfl_xor_sync(0xffffffff, key, offset);
    key = other > key ? other : key;
  }
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = key;
  __syncthreads();
  long long most = scratch[0];
  for (int i = 1; i < kThreads / 32; ++i) most = scratch[i] > most ? scratch[i] : most;
  __syncthreads();
  return most;
}

/// A block for each row: every thread keeps the K greatest of the columns it walks over, then the block takes the
/// greatest of all K times.
template <int K>
__global__ void top_kernel(const float* scores, std::int64_t columns, std::int64_t first_entity, std::int64_t k,
                           std::int64_t* keys) {
  __shared__ long long scratch[kThreads / 32];
  const float* row = scores + static_cast<std::int64_t>(blockIdx.x) * columns;
  long long best[K];
#pragma unroll
  for (int i = 0; i < K; ++i) best[i] = kNothing;
  for (std::int64_t column = threadIdx.x; column < columns; column += kThreads) {
    long long key = key_of(row[column], first_entity + column);
    if (key <= best[K - 1]) continue;
#pragma unroll
    for (int i = 0; i < K; ++i) {
      const bool before = key > best[i];
      const long long moved = before ? best[i] : key;
      best[i] = before ? key : best[i];
      key = moved;
    }
  }
  for (std::int64_t i = 0; i < k; ++i) {
    const long long most = greatest_in_block(best[0], scratch);
    if (threadIdx.x == 0) keys[static_cast<std::int64_t>(blockIdx.x) * k + i] = most;
    if (best[0] == most) {  // keys differ, so one thread alone has it, unless there is nothing left
#pragma unroll
      for (int j = 0; j + 1 < K; ++j) best[j] = best[j + 1];
      best[K - 1] = kNothing;
    }
  }
}

}  // namespace

void leave_out_cuda(float* scores, std::int64_t rows, std::int64_t columns, std::int64_t first_entity,
                    const std::int64_t* ids, const std::int64_t* offsets, void* stream) {
  launch(leave_out_kernel, {blocks_for(rows, 1), kWarpThreads}, stream, scores, columns, first_entity, ids, offsets);
}

void ids_of_cuda(const std::int64_t* keys, std::int64_t count, std::int64_t* ids, void* stream) {
  launch(ids_kernel, {blocks_for(count, kThreads), kThreads}, stream, keys, count, ids);
}

void top_keys_cuda(const float* scores, std::int64_t rows, std::int64_t columns, std::int64_t first_entity,
                   std::int64_t k, std::int64_t* keys, void* stream) {
  const auto kernel = k <= 1 ? top_kernel<1> : k <= 4 ? top_kernel<4> : top_kernel<16>;
  launch(kernel, {blocks_for(rows, 1), kThreads}, stream, scores, columns, first_entity, k, keys);
}

}  // namespace hasa::kernels
