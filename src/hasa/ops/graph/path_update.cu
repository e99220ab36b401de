#include "hasa/ops/graph/path_columns.cuh"
#include "hasa/ops/graph/path_update_kernels.h"

// Four columns a lane, dim / 4 lanes a row: 32 dimensions are 8 lanes, four rows a warp. It reads and writes every
// value once and is bound by memory: forward (parts + 2) values of 2 bytes for each row and dimension, backward 2 parts
// + 2.

namespace hasa::kernels {
namespace {

constexpr int kColumns = 4;
constexpr int kUpdateThreads = 256;

/// Sum over the dim / 4 lanes of a row, the same in all of them.
__device__ float row_sum(float value, int lanes) {
  for (int away = lanes / 2; away > 0; away /= 2) value += __shfl_xor_sync(kAllLanes, value, away);
  return value;
}

__device__ float total(const float (&v)[kColumns]) { return (v[0] + v[1]) + (v[2] + v[3]); }

struct Parameters {
  float bias[kColumns], weight[kColumns], shift[kColumns];
};

__device__ Parameters read_parameters(const PathUpdate& u, int d) {
  Parameters p;
  load_columns(u.bias + d, p.bias);
  load_columns(u.norm_weight + d, p.weight);
  load_columns(u.norm_bias + d, p.shift);
  return p;
}

/// y normalised, four columns of it, and what the gradient needs beside.
struct Normal {
  float values[kColumns];
  float inverse_spread, s, inverse_s;
};

template <class T>
__device__ Normal read_normal(const PathUpdate& u, const Parameters& p, std::int64_t row, int d, bool there) {
  const int lanes = static_cast<int>(u.dim) / kColumns;
  Normal n{{}, 0, 1, 1};
  if (there) {
    const T* z = static_cast<const T*>(u.z) + row * u.parts * u.dim + d;
    load_columns(z, n.values);
#pragma unroll
    for (int i = 0; i < kColumns; ++i) n.values[i] += p.bias[i];
    if (u.parts == 3) {
      n.s = u.scale[u.pairs[row] / u.queries];
      n.inverse_s = 1.0F / fmaxf(n.s, kLeastScale);
      float more[kColumns], less[kColumns];
      load_columns(z + u.dim, more);
      load_columns(z + 2 * u.dim, less);
#pragma unroll
      for (int i = 0; i < kColumns; ++i) n.values[i] += n.s * more[i] + n.inverse_s * less[i];
    }
  }
  const float mean = row_sum(total(n.values), lanes) / static_cast<float>(u.dim);
  float squares = 0;
#pragma unroll
  for (int i = 0; i < kColumns; ++i) {
    n.values[i] -= mean;
    squares += n.values[i] * n.values[i];
  }
  n.inverse_spread = rsqrtf(row_sum(squares, lanes) / static_cast<float>(u.dim) + kPathNormEpsilon);
#pragma unroll
  for (int i = 0; i < kColumns; ++i) n.values[i] *= n.inverse_spread;
  return n;
}

template <class T>
__global__ void update_kernel(PathUpdate u, T* out) {
  const int lanes = static_cast<int>(u.dim) / kColumns, d = threadIdx.x % lanes * kColumns;
  const std::int64_t row = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / lanes;
  const bool there = row < u.rows;
  const Parameters p = read_parameters(u, d);
  const Normal n = read_normal<T>(u, p, row, d, there);
  if (!there) return;
  float h[kColumns], before[kColumns] = {};
  if (row < u.rows_before) load_columns(static_cast<const T*>(u.before) + row * u.dim + d, before);
#pragma unroll
  for (int i = 0; i < kColumns; ++i) h[i] = fmaxf(0.0F, n.values[i] * p.weight[i] + p.shift[i]) + before[i];
  store_columns(out + row * u.dim + d, h);
}

/// A lane's sums of the parameters' gradients: bias, weight, shift.
struct GradSums {
  float bias[kColumns] = {}, weight[kColumns] = {}, shift[kColumns] = {};
};

template <class T>
__device__ void gradient_row(const PathUpdate& u, const PathUpdateGradient& g, const Parameters& p, std::int64_t row,
                             int d, bool there, GradSums& sums) {
  const int lanes = static_cast<int>(u.dim) / kColumns;
  const Normal n = read_normal<T>(u, p, row, d, there);
  float grad[kColumns] = {}, slope[kColumns], product[kColumns];
  if (there) load_columns(static_cast<const T*>(g.out_grad) + row * u.dim + d, grad);
#pragma unroll
  for (int i = 0; i < kColumns; ++i) {
    if (!(n.values[i] * p.weight[i] + p.shift[i] > 0.0F)) grad[i] = 0;
    sums.weight[i] += grad[i] * n.values[i];
    sums.shift[i] += grad[i];
    slope[i] = grad[i] * p.weight[i];
    product[i] = slope[i] * n.values[i];
  }
  const float mean = row_sum(total(slope), lanes) / static_cast<float>(u.dim);
  const float along = row_sum(total(product), lanes) / static_cast<float>(u.dim);
  if (!there) return;
  float y[kColumns], more[kColumns], less[kColumns];
#pragma unroll
  for (int i = 0; i < kColumns; ++i) {
    y[i] = (slope[i] - mean - n.values[i] * along) * n.inverse_spread;
    sums.bias[i] += y[i];
    more[i] = y[i] * n.s, less[i] = y[i] * n.inverse_s;
  }
  T* z_grad = static_cast<T*>(g.z_grad) + row * u.parts * u.dim + d;
  store_columns(z_grad, y);
  if (u.parts == 1) return;
  store_columns(z_grad + u.dim, more);
  store_columns(z_grad + 2 * u.dim, less);
}

template <class T>
__global__ void update_gradient_kernel(PathUpdate u, PathUpdateGradient g) {
  __shared__ float scratch[kUpdateThreads][kColumns];
  const int lanes = static_cast<int>(u.dim) / kColumns, d = threadIdx.x % lanes * kColumns;
  const int rows_each = kUpdateThreads / lanes;
  const Parameters p = read_parameters(u, d);
  GradSums sums;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * rows_each;
  for (std::int64_t base = static_cast<std::int64_t>(blockIdx.x) * rows_each; base < u.rows; base += stride) {
    const std::int64_t row = base + threadIdx.x / lanes;
    gradient_row<T>(u, g, p, row, d, row < u.rows, sums);
  }
  const float (*kinds[3])[kColumns] = {&sums.bias, &sums.weight, &sums.shift};
  for (int kind = 0; kind < 3; ++kind) {
#pragma unroll
    for (int i = 0; i < kColumns; ++i) scratch[threadIdx.x][i] = (*kinds[kind])[i];
    __syncthreads();
    for (int c = threadIdx.x; c < u.dim; c += kUpdateThreads) {
      float sum = 0;
      for (int r = 0; r < rows_each; ++r) sum += scratch[r * lanes + c / kColumns][c % kColumns];
      g.partial[(static_cast<std::int64_t>(blockIdx.x) * 3 + kind) * u.dim + c] = sum;
    }
    __syncthreads();
  }
}

/// The blocks' sums, in their order: a thread for each of 3 dim columns.
__global__ void sums_kernel(PathUpdateGradient g, std::int64_t dim, int blocks) {
  const int c = static_cast<int>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (c >= 3 * dim) return;
  float sum = 0;
  for (int block = 0; block < blocks; ++block) sum += g.partial[block * 3 * dim + c];
  float* out = c < dim ? g.sums[0] : c < 2 * dim ? g.sums[1] : g.sums[2];
  out[c % dim] = sum;
}

template <class T>
void launch_update(const PathUpdate& u, void* out, cudaStream_t stream) {
  const std::int64_t rows_each = kUpdateThreads * kColumns / u.dim;
  launch(update_kernel<T>, {blocks_for(u.rows, rows_each), kUpdateThreads}, stream, u, static_cast<T*>(out));
}

template <class T>
void launch_gradient(const PathUpdate& u, const PathUpdateGradient& g, cudaStream_t stream) {
  const std::int64_t rows_each = kUpdateThreads * kColumns / u.dim;
  const unsigned blocks = std::min(static_cast<unsigned>(kPathUpdateBlocks), blocks_for(u.rows, rows_each));
  launch(update_gradient_kernel<T>, {blocks, kUpdateThreads}, stream, u, g);
  launch(sums_kernel, {blocks_for(3 * u.dim, kWarpLanes), kWarpLanes}, stream, g, u.dim, static_cast<int>(blocks));
}

}  // namespace

void path_update_cuda(const PathUpdate& update, void* out, void* stream) {
  if (update.rows == 0) return;
  const auto queue = static_cast<cudaStream_t>(stream);
  if (update.is_bfloat16) {
    launch_update<BFloat16>(update, out, queue);
  } else {
    launch_update<float>(update, out, queue);
  }
}

void path_update_gradient_cuda(const PathUpdate& update, const PathUpdateGradient& gradient, void* stream) {
  if (update.rows == 0) return;
  const auto queue = static_cast<cudaStream_t>(stream);
  if (update.is_bfloat16) {
    launch_gradient<BFloat16>(update, gradient, queue);
  } else {
    launch_gradient<float>(update, gradient, queue);
  }
}

}  // namespace hasa::kernels
