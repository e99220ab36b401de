#include <cuda_runtime.h>

#include "hasa/ops/row_update_kernels.h"
#include "hasa/ops/similarity_terms.h"

// Rows in order of their ids. A first kernel notes where each row's tokens begin, in any order, since rows do not touch
// each other; then blocks take row after row: a thread adds up places of the gradient and changes them. No atomics on
// gradients: their order is fixed. With 1,024 queries of 257 candidates the queries' 2 MB stay in the second cache.

namespace hasa::kernels {
namespace {

constexpr int kUpdateThreads = 256;
constexpr int kUpdateWarps = kUpdateThreads / 32;
constexpr int kBlocks = 132 * 8;  // that an H200 runs at a time

__global__ void starts_kernel(RowUpdate pass) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kUpdateThreads + threadIdx.x;
  const bool begins = i < pass.tokens && (i == 0 || pass.sorted[i] != pass.sorted[i - 1]);
  const unsigned flags = __ballot_sync(0xffffffffU, begins);
  const unsigned lane = threadIdx.x % 32;
  int base = 0;
  if (lane == 0 && flags != 0) base = atomicAdd(pass.starts, __popc(flags));
  base = __shfl_sync(0xffffffffU, base, 0);
  if (begins) pass.starts[1 + base + __popc(flags & ((1U << lane) - 1))] = static_cast<std::int32_t>(i);
}

/// The next tokens of a row, brought together by the whole block.
struct TokenChunk {
  std::int64_t token[kUpdateThreads];
  float coefficient[kUpdateThreads];

  /// Those from `first` on that name `id`, as many as there are threads; returns their number.
  __device__ int load(const RowUpdate& pass, std::int64_t first, std::int32_t id) {
    const std::int64_t i = first + threadIdx.x;
    const bool named = i < pass.tokens && pass.sorted[i] == id;
    if (named) {
      token[threadIdx.x] = pass.order[i];
      if (pass.order[i] < pass.sampled) coefficient[threadIdx.x] = pass.coefficients[pass.order[i]];
    }
    return __syncthreads_count(named);
  }
};

/// Adds a chunk's gradients at a place, or at both of its parts.
template <class Terms>
__device__ void add_chunk(const RowUpdate& pass, const TokenChunk& chunk, int count, int place, int half,
                          const float* x, float* sum) {
  constexpr int kParts = Terms::kParts;
#pragma unroll 4
  for (int j = 0; j < count; ++j) {
    const std::int64_t token = chunk.token[j];
    const bool sampled = token < pass.sampled;
    const float* row =
        sampled ? pass.queries + token / pass.columns * pass.dim : pass.direct + (token - pass.sampled) * pass.dim;
    float y[kParts];
#pragma unroll
    for (int part = 0; part < kParts; ++part) y[part] = __ldg(row + part * half + place);
    if (sampled) {
      Terms::add_slope(x, y, chunk.coefficient[j], sum);
    } else {
#pragma unroll
      for (int part = 0; part < kParts; ++part) sum[part] += y[part];
    }
  }
}

__device__ float block_sum(float x, float* scratch) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) x += __shfl_xor_sync(0xffffffffU, x, step);
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = x;
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int warp = 0; warp < kUpdateWarps; ++warp) sum += scratch[warp];
  __syncthreads();
  return sum;
}

/// The change of one number over the rate.
__device__ float step_of(const RowUpdate& pass, std::int64_t cell, float gradient) {
  if (pass.rule == RowRule::adagrad) {
    const float square = pass.squares[cell] + gradient * gradient;
    pass.squares[cell] = square;
    return gradient / (sqrtf(square) + kRuleEpsilon);
  }
  constexpr auto kMean = static_cast<float>(kAdamMean), kSquare = static_cast<float>(kAdamSquare);
  const float mean = pass.means[cell] * kMean + gradient * (1 - kMean);
  const float square = pass.squares[cell] * kSquare + gradient * gradient * (1 - kSquare);
  pass.means[cell] = mean;
  pass.squares[cell] = square;
  return mean / (sqrtf(square * pass.square_correction) + kAdamEpsilon);
}

template <class Terms>
__global__ __launch_bounds__(kUpdateThreads) void update_kernel(RowUpdate pass) {
  constexpr int kParts = Terms::kParts;
  extern __shared__ float gradients[];  // [dim]; row_adagrad, which needs all of them before any is used
  __shared__ float scratch[kUpdateWarps];
  __shared__ TokenChunk chunk;
  const int half = static_cast<int>(pass.dim) / kParts, rows = pass.starts[0];
  const bool by_row = pass.rule == RowRule::row_adagrad;
  for (int k = static_cast<int>(blockIdx.x); k < rows; k += static_cast<int>(gridDim.x)) {
    const std::int64_t begin = pass.starts[1 + k];
    const std::int32_t id = pass.sorted[begin];
    float* row = pass.table + id * pass.dim;
    float squares = 0;
    for (int base = 0; base < half; base += kUpdateThreads) {
      const int place = base + static_cast<int>(threadIdx.x);
      float x[kParts] = {}, sum[kParts] = {};
#pragma unroll
      for (int part = 0; part < kParts; ++part) {
        if (place < half) x[part] = row[part * half + place];
      }
      int count = kUpdateThreads;
      for (std::int64_t first = begin; count == kUpdateThreads; first += kUpdateThreads) {
        count = chunk.load(pass, first, id);
        if (place < half) add_chunk<Terms>(pass, chunk, count, place, half, x, sum);
        __syncthreads();
      }
      if (place >= half) continue;
#pragma unroll
      for (int part = 0; part < kParts; ++part) {
        const int at = part * half + place;
        if (by_row) {
          squares += sum[part] * sum[part];
          gradients[at] = sum[part];
        } else {
          row[at] = x[part] * pass.shrink - pass.rate * step_of(pass, id * pass.dim + at, sum[part]);
        }
      }
    }
    if (!by_row) continue;
    const float square = pass.squares[id] + block_sum(squares, scratch) / static_cast<float>(pass.dim);
    const float step = pass.rate / (sqrtf(square) + kRuleEpsilon);
    for (int at = static_cast<int>(threadIdx.x); at < pass.dim; at += kUpdateThreads)
      row[at] = row[at] * pass.shrink - step * gradients[at];
    __syncthreads();  // the next row overwrites the gradients, and everyone has read the square
    if (threadIdx.x == 0) pass.squares[id] = square;
  }
}

}  // namespace

void update_rows_cuda(const RowUpdate& pass, void* stream) {
  const auto queue = static_cast<cudaStream_t>(stream);
  const auto parts = static_cast<unsigned>((pass.tokens + kUpdateThreads - 1) / kUpdateThreads);
  starts_kernel<<<parts, kUpdateThreads, 0, queue>>>(pass);
  const std::size_t bytes = static_cast<std::size_t>(pass.dim) * sizeof(float);
  with_terms(pass.similarity,
             [&](auto terms) { update_kernel<decltype(terms)><<<kBlocks, kUpdateThreads, bytes, queue>>>(pass); });
}

}  // namespace hasa::kernels
