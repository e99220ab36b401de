#include "hasa/ops/core/cuda_rows.cuh"
#include "hasa/ops/core/launch.cuh"
#include "hasa/ops/encoder/bias_gelu_kernels.h"

namespace hasa::kernels {
namespace {

// A block is eight warps, one below the other: a lane has eight columns, a warp 256, and each warp its own rows.
constexpr int kWarps = 8;
constexpr int kTile = kWarp * kEight;
constexpr int kForwardRows = 1, kBackwardRows = 2;

struct Gelu {
  float below;    // the normal distribution function
  float density;  // and its derivative
};

/// erf after Abramowitz and Stegun 7.1.26, within 1.5e-7: it shares its exponential with the density, and costs
/// half of erff, which would make these kernels wait for arithmetic instead of memory.
__device__ Gelu gelu_parts(float v) {
  const float t = __fdividef(1.0F, 1.0F + 0.3275911F * 0.70710678F * fabsf(v));
  const float e = __expf(-0.5F * v * v);
  const float polynomial =
      t * (0.254829592F + t * (-0.284496736F + t * (1.421413741F + t * (-1.453152027F + t * 1.061405429F))));
  const float tail = 0.5F * polynomial * e;
  return {v < 0 ? tail : 1.0F - tail, 0.39894228F * e};
}

template <class P>
__device__ void load_bias(const void* bias, std::int64_t column, bool active, float (&v)[kEight]) {
  Eight<P> raw{};
  if (active) raw = Eight<P>::load(static_cast<const P*>(bias) + column);
  raw.unpack(v);
}

template <class T, class P>
__global__ __launch_bounds__(kWarp* kWarps) void forward_kernel(BiasGeluShape shape, const T* x, const void* bias_in,
                                                                T* out) {
  constexpr int R = kForwardRows;
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * kTile + threadIdx.x * kEight;
  if (column >= shape.width) return;
  float bias[kEight];
  load_bias<P>(bias_in, column, true, bias);
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.y) * kWarps * R;
  for (std::int64_t first = (static_cast<std::int64_t>(blockIdx.y) * kWarps + threadIdx.y) * R; first < shape.rows;
       first += stride) {
    Eight<T> raw[R];
#pragma unroll
    for (int r = 0; r < R; ++r) {
      if (first + r < shape.rows) raw[r] = Eight<T>::load(x + (first + r) * shape.width + column);
    }
#pragma unroll
    for (int r = 0; r < R; ++r) {
      if (first + r >= shape.rows) continue;
      float v[kEight];
      raw[r].unpack(v);
#pragma unroll
      for (int i = 0; i < kEight; ++i) {
        v[i] += bias[i];
        v[i] *= gelu_parts(v[i]).below;
      }
      store_eight(out + (first + r) * shape.width + column, v);
    }
  }
}

template <class T, class P>
__global__ __launch_bounds__(kWarp* kWarps) void backward_kernel(BiasGeluShape shape, BiasGeluBackward pass) {
  constexpr int R = kBackwardRows;
  __shared__ float scratch[kWarps][kTile];
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * kTile + threadIdx.x * kEight;
  const bool active = column < shape.width;
  const auto* x = static_cast<const T*>(pass.x) + column;
  const auto* grad = static_cast<const T*>(pass.grad) + column;
  float bias[kEight], sums[kEight] = {};
  load_bias<P>(pass.bias, column, active, bias);
  const std::int64_t rows = active ? shape.rows : 0, stride = static_cast<std::int64_t>(gridDim.y) * kWarps * R;
  for (std::int64_t first = (static_cast<std::int64_t>(blockIdx.y) * kWarps + threadIdx.y) * R; first < rows;
       first += stride) {
    Eight<T> values[R], grads[R];
#pragma unroll
    for (int r = 0; r < R; ++r) {
      if (first + r < rows) values[r] = Eight<T>::load(x + (first + r) * shape.width);
      if (first + r < rows) grads[r] = Eight<T>::load(grad + (first + r) * shape.width);
    }
#pragma unroll
    for (int r = 0; r < R; ++r) {
      if (first + r >= rows) continue;
      float v[kEight], g[kEight];
      values[r].unpack(v);
      grads[r].unpack(g);
#pragma unroll
      for (int i = 0; i < kEight; ++i) {
        v[i] += bias[i];
        const Gelu parts = gelu_parts(v[i]);
        g[i] *= parts.below + v[i] * parts.density;
        sums[i] += g[i];
      }
      store_eight(static_cast<T*>(pass.grad_x) + (first + r) * shape.width + column, g);
    }
  }
  store_eight(&scratch[threadIdx.y][threadIdx.x * kEight], sums);
  __syncthreads();
  // Each of the 256 threads adds up one column of the tile.
  const int mine = static_cast<int>(threadIdx.y * kWarp + threadIdx.x);
  const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * kTile + mine;
  if (at >= shape.width) return;
  float sum = 0;
#pragma unroll
  for (int warp = 0; warp < kWarps; ++warp) sum += scratch[warp][mine];
  pass.partial[static_cast<std::int64_t>(blockIdx.y) * shape.width + at] = sum;
}

/// Tiles across, and so many blocks down that all run at once.
template <class Kernel>
dim3 grid_for(Kernel kernel, int rows_at_once, const BiasGeluShape& shape, std::atomic<int>& known) {
  const std::int64_t across = (shape.width + kTile - 1) / kTile;
  const std::int64_t most = blocks_at_once(kernel, kWarp * kWarps, known) / across;
  const std::int64_t needed = (shape.rows + kWarps * rows_at_once - 1) / (kWarps * rows_at_once);
  const std::int64_t down = needed < most ? needed : (most > 0 ? most : 1);
  return {static_cast<unsigned>(across), static_cast<unsigned>(down)};
}

template <class T, class P>
dim3 forward_grid(const BiasGeluShape& shape) {
  static std::atomic<int> known;
  return grid_for(forward_kernel<T, P>, kForwardRows, shape, known);
}
template <class T, class P>
dim3 backward_grid(const BiasGeluShape& shape) {
  static std::atomic<int> known;
  return grid_for(backward_kernel<T, P>, kBackwardRows, shape, known);
}

}  // namespace

void bias_gelu_forward_cuda(const BiasGeluShape& shape, const void* x, const void* bias, void* out, void* stream) {
  with_types(shape.is_bfloat16, shape.bias_is_float, [&](auto value, auto parameter) {
    using T = decltype(value);
    using P = decltype(parameter);
    launch(forward_kernel<T, P>, {forward_grid<T, P>(shape), {kWarp, kWarps}}, stream, shape, static_cast<const T*>(x),
           bias, static_cast<T*>(out));
  });
}

std::int64_t bias_gelu_backward_blocks_cuda(const BiasGeluShape& shape) {
  std::int64_t blocks = 0;
  with_types(shape.is_bfloat16, shape.bias_is_float, [&](auto value, auto parameter) {
    blocks = backward_grid<decltype(value), decltype(parameter)>(shape).y;
  });
  return blocks;
}

void bias_gelu_backward_cuda(const BiasGeluShape& shape, const BiasGeluBackward& pass, void* stream) {
  with_types(shape.is_bfloat16, shape.bias_is_float, [&](auto value, auto parameter) {
    using T = decltype(value);
    using P = decltype(parameter);
    const dim3 grid = backward_grid<T, P>(shape);
    launch(backward_kernel<T, P>, {grid, {kWarp, kWarps}}, stream, shape, pass);
    column_sums<P>(pass.partial, grid.y, 1, shape.width, {{static_cast<P*>(pass.grad_bias), nullptr, nullptr}}, stream);
  });
}

}  // namespace hasa::kernels
