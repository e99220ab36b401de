#include "hasa/ops/core/launch.cuh"
#include "hasa/ops/score/filtered_rank_kernels.h"

namespace hasa::kernels {
namespace {

constexpr int kThreads = 256;

/// Sums of four counts over the block; every thread adds its own.
struct BlockCounts {
  int better, equal, known_better, known_equal;
};

__device__ BlockCounts sum_over_block(BlockCounts mine) {
  __shared__ int sums[4];
  if (threadIdx.x < 4) sums[threadIdx.x] = 0;
  __syncthreads();
  const int values[4] = {mine.better, mine.equal, mine.known_better, mine.known_equal};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int warp = __reduce_add_sync(0xffffffff, values[i]);
    if (threadIdx.x % 32 == 0) atomicAdd(&sums[i], warp);
  }
  __syncthreads();
  return {sums[0], sums[1], sums[2], sums[3]};
}

__global__ void rank_kernel(RankPass pass) {
  const std::int64_t q = blockIdx.x, n = pass.entities, target = pass.targets[q];
  if (target < 0 || target >= n) {
    if (threadIdx.x == 0) pass.better[q] = kNoEntity;
    return;
  }
  const float* row = pass.scores + q * n;
  const float reached = row[target];
  BlockCounts counts{0, 0, 0, 0};
  bool no_number = false;
  for (std::int64_t e = threadIdx.x; e < n; e += kThreads) {
    counts.better += row[e] > reached;
    counts.equal += row[e] == reached;
    no_number |= row[e] != row[e];
  }
  bool wrong = false;
  for (std::int64_t i = pass.begin[q] + threadIdx.x; i < pass.end[q]; i += kThreads) {
    const std::int64_t id = pass.ids[i];
    if (id < 0 || id >= n) {
      wrong = true;
    } else {
      counts.known_better += row[id] > reached;
      counts.known_equal += row[id] == reached && id != target;
    }
  }
  wrong = __syncthreads_or(wrong);
  no_number = __syncthreads_or(no_number);
  counts = sum_over_block(counts);
  if (threadIdx.x != 0) return;
  pass.known_better[q] = counts.known_better;
  pass.known_equal[q] = counts.known_equal;
  pass.better[q] = wrong ? kNoEntity : no_number ? kNotANumber : counts.better - counts.known_better;
  pass.equal[q] = counts.equal - counts.known_equal - 1;
}

}  // namespace

void filtered_rank_cuda(const RankPass& pass, void* stream) {
  launch(rank_kernel, {blocks_for(pass.queries, 1), kThreads}, stream, pass);
}

}  // namespace hasa::kernels
