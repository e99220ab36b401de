#include "hasa/ops/table/table_gradient_kernels.h"

#include "hasa/ops/core/launch.cuh"
#include "hasa/ops/encoder/layer_norm_rows.cuh"

// The gradient of a table of embeddings, tokens in order of their ids. A first kernel adds up chunks of 32 tokens:
// ids that begin and end within a chunk are done; those that reach over its edges (a word in every text, a position)
// leave the chunk's part in memory, and a second kernel adds these up. No atomics: the order of sums is fixed, and a
// row that every token names costs no more than any other. Negative ids come first, and their sums are dropped.

namespace hasa::kernels {
namespace {

constexpr int kAhead = 8;  // rows whose loads are under way together
constexpr int kGroups = 8;

/// What a chunk knows of the ids at its edges.
struct Edges {
  std::int64_t begin, end;      // tokens
  bool from_before, to_behind;  // the first id began in an earlier chunk; the last goes on in the next
};

__device__ Edges edges_of(const std::int32_t* sorted, std::int64_t tokens, std::int64_t chunk) {
  Edges edges;
  edges.begin = chunk * kTokensPerChunk;
  edges.end = edges.begin + kTokensPerChunk < tokens ? edges.begin + kTokensPerChunk : tokens;
  edges.from_before = edges.begin > 0 && sorted[edges.begin - 1] == sorted[edges.begin];
  edges.to_behind = edges.end < tokens && sorted[edges.end] == sorted[edges.end - 1];
  return edges;
}

template <class T>
__global__ __launch_bounds__(kNormThreads) void chunk_kernel(TableGradient pass) {
  const std::int64_t width = pass.width;
  const int column = static_cast<int>(threadIdx.x) * kEight;
  if (column >= width) return;
  const Edges edges = edges_of(pass.sorted, pass.tokens, blockIdx.x);
  float* before = pass.partial + static_cast<std::int64_t>(blockIdx.x) * 2 * width + column;
  float* behind = before + width;
  float sum[kEight] = {};
  bool first_id = true;
  for (std::int64_t base = edges.begin; base < edges.end; base += kAhead) {
    Eight<T> rows[kAhead];
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
      if (base + k < edges.end)
        rows[k] = Eight<T>::load(static_cast<const T*>(pass.rows) + pass.order[base + k] * width + column);
    }
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
      const std::int64_t j = base + k;
      if (j >= edges.end) continue;
      float v[kEight];
      rows[k].unpack(v);
      add_to(sum, v);
      const bool last = j + 1 == edges.end;
      if (!last && pass.sorted[j + 1] == pass.sorted[j]) continue;
      if (first_id && edges.from_before) {
        store_eight(before, sum);
      } else if (last && edges.to_behind) {
        store_eight(behind, sum);
      } else if (pass.sorted[j] >= 0) {
        store_eight(static_cast<T*>(pass.table) + pass.sorted[j] * width + column, sum);
      }
      first_id = false;
#pragma unroll
      for (int i = 0; i < kEight; ++i) sum[i] = 0;
    }
  }
}

/// Chunks after `chunk` whose first token has that id: they follow one another.
__device__ std::int64_t chunks_reached(const std::int32_t* sorted, std::int64_t tokens, std::int64_t chunk,
                                       std::int32_t id) {
  std::int64_t low = chunk + 1, high = (tokens + kTokensPerChunk - 1) / kTokensPerChunk;  // low has it, high has not
  while (high - low > 1) {
    const std::int64_t middle = (low + high) / 2;
    (sorted[middle * kTokensPerChunk] == id ? low : high) = middle;
  }
  return low - chunk;
}

/// A block for each chunk: where an id begins in it and goes on behind it, its groups of threads share the later
/// chunks' parts between them.
template <class T>
__global__ void join_kernel(TableGradient pass) {
  const std::int64_t width = pass.width, tokens = pass.tokens;
  extern __shared__ float scratch[];  // [groups, threads * 8]
  const std::int64_t chunk = blockIdx.x;
  const Edges edges = edges_of(pass.sorted, tokens, chunk);
  const std::int32_t id = pass.sorted[edges.end - 1];
  const bool whole = edges.from_before && pass.sorted[edges.begin] == id;
  if (!edges.to_behind || whole || id < 0) return;
  const std::int64_t chunks = chunks_reached(pass.sorted, tokens, chunk, id);
  const int column = static_cast<int>(threadIdx.x) * kEight;
  const int across = static_cast<int>(blockDim.x) * kEight;
  float sum[kEight] = {};
  if (column < width) {
    const float* later = pass.partial + (chunk + 1) * 2 * width + column;
#pragma unroll 4
    for (std::int64_t d = threadIdx.y; d < chunks; d += blockDim.y) {
      float v[kEight];
      Eight<float>::load(later + d * 2 * width).unpack(v);
      add_to(sum, v);
    }
  }
  store_eight(scratch + threadIdx.y * across + column, sum);
  __syncthreads();
  if (threadIdx.y != 0 || column >= width) return;
  Eight<float>::load(pass.partial + (chunk * 2 + 1) * width + column).unpack(sum);
  for (unsigned group = 0; group < blockDim.y; ++group) {
    float v[kEight];
    Eight<float>::load(scratch + group * across + column).unpack(v);
    add_to(sum, v);
  }
  store_eight(static_cast<T*>(pass.table) + id * width + column, sum);
}

}  // namespace

void table_gradient_cuda(const TableGradient& pass, void* stream) {
  const unsigned chunks = blocks_for(pass.tokens, kTokensPerChunk);
  const int threads = threads_for(pass.width);
  const int groups = 1024 / threads < kGroups ? 1024 / threads : kGroups;
  const std::size_t bytes = static_cast<std::size_t>(groups) * threads * kEight * sizeof(float);
  with_types(pass.is_bfloat16, true, [&](auto value, auto) {
    using T = decltype(value);
    launch(chunk_kernel<T>, {chunks, threads}, stream, pass);
    launch(join_kernel<T>, {chunks, dim3(threads, groups), bytes}, stream, pass);
  });
}

}  // namespace hasa::kernels
