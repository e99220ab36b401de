#include "hasa/ops/core/launch.cuh"
#include "hasa/ops/table/all_entities_loss_kernels.h"

// A block for each row: its scores are read once for the loss, and once more for the gradient, which is written.

namespace hasa::kernels {
namespace {

constexpr unsigned kWholeWarp = 0xffffffffU;
constexpr int kLossThreads = 512;
constexpr int kLossWarps = kLossThreads / 32;

/// log(sum) + greatest is the logarithm of a sum of exponentials.
struct LogSum {
  float greatest = -3.402823466e38F, sum = 0;

  __device__ void add(float x) {
    if (x > greatest) {
      sum *= __expf(greatest - x);
      greatest = x;
    }
    sum += __expf(x - greatest);
  }
  __device__ void add(const LogSum& other) {
    const float both = fmaxf(greatest, other.greatest);
    sum = sum * __expf(greatest - both) + other.sum * __expf(other.greatest - both);
    greatest = both;
  }
};

/// What a row comes to: of one thread, then of all.
struct RowTotals {
  LogSum exponentials;  // softmax
  float scores = 0;     // their plain sum, where labels are smoothed
  float terms = 0;      // bce: of all entities; less what the labels give

  __device__ void add(const RowTotals& other) {
    exponentials.add(other.exponentials);
    scores += other.scores;
    terms += other.terms;
  }
  __device__ RowTotals from_lane(int distance) const {
    const auto get = [&](float x) { return __shfl_xor_sync(kWholeWarp, x, distance); };
    return {{get(exponentials.greatest), get(exponentials.sum)}, get(scores), get(terms)};
  }
};

__device__ float softplus_of(float x) { return fmaxf(x, 0.0F) + log1pf(__expf(-fabsf(x))); }
__device__ float sigmoid_of(float x) { return 1.0F / (1.0F + __expf(-x)); }

/// What one of a row's labels counts.
__device__ float label_share(const AllEntitiesPass& pass, std::int64_t row) {
  const auto labels = static_cast<float>(pass.offsets[row + 1] - pass.offsets[row]);
  return (1.0F - pass.smoothing) / (pass.softmax ? labels : 1.0F);
}

__global__ __launch_bounds__(kLossThreads) void forward_kernel(AllEntitiesPass pass, float* loss, float* log_sum) {
  __shared__ RowTotals of_warp[kLossWarps];
  const std::int64_t row = blockIdx.x;
  const float* scores = pass.scores + row * pass.entities;
  RowTotals mine;
#pragma unroll 4
  for (std::int64_t e = threadIdx.x; e < pass.entities; e += kLossThreads) {
    const float s = scores[e] + pass.offset;
    if (pass.softmax) {
      mine.exponentials.add(s);
    } else {
      mine.terms += softplus_of(s);
    }
    mine.scores += s;
  }
  const float share = label_share(pass, row);
  for (std::int64_t i = pass.offsets[row] + threadIdx.x; i < pass.offsets[row + 1]; i += kLossThreads)
    mine.terms -= share * (scores[pass.ids[i]] + pass.offset);
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) mine.add(mine.from_lane(distance));
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int warp = 1; warp < kLossWarps; ++warp) mine.add(of_warp[warp]);
  float total = mine.terms;
  if (pass.smoothing > 0) total -= pass.smoothing / static_cast<float>(pass.entities) * mine.scores;
  if (pass.softmax) {
    log_sum[row] = mine.exponentials.greatest + logf(mine.exponentials.sum);
    total += log_sum[row];
  }
  loss[row] = total;
}

__global__ __launch_bounds__(kLossThreads) void backward_kernel(AllEntitiesPass pass, const float* log_sum,
                                                                const float* loss_grad, float* grad_out) {
  const std::int64_t row = blockIdx.x;
  const float* scores = pass.scores + row * pass.entities;
  float* grad = grad_out + row * pass.entities;
  const float scale = *loss_grad / static_cast<float>(pass.rows);
  const float everywhere = pass.smoothing / static_cast<float>(pass.entities);
  const float less = pass.softmax ? log_sum[row] : 0.0F;
#pragma unroll 4
  for (std::int64_t e = threadIdx.x; e < pass.entities; e += kLossThreads) {
    const float s = scores[e] + pass.offset;
    grad[e] = ((pass.softmax ? __expf(s - less) : sigmoid_of(s)) - everywhere) * scale;
  }
  __syncthreads();  // labels are taken off what is written
  const float share = label_share(pass, row) * scale;
  for (std::int64_t i = pass.offsets[row] + threadIdx.x; i < pass.offsets[row + 1]; i += kLossThreads)
    grad[pass.ids[i]] -= share;
}

}  // namespace

void all_entities_forward_cuda(const AllEntitiesPass& pass, float* loss, float* log_sum, void* stream) {
  launch(forward_kernel, {blocks_for(pass.rows, 1), kLossThreads}, stream, pass, loss, log_sum);
}

void all_entities_backward_cuda(const AllEntitiesPass& pass, const float* log_sum, const float* loss_grad, float* grad,
                                void* stream) {
  launch(backward_kernel, {blocks_for(pass.rows, 1), kLossThreads}, stream, pass, log_sum, loss_grad, grad);
}

}  // namespace hasa::kernels
