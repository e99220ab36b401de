#include "hasa/ops/core/launch.cuh"
#include "hasa/ops/encoder/dropout_add_layer_norm_kernels.h"
#include "hasa/ops/encoder/layer_norm_rows.cuh"

namespace hasa::kernels {
namespace {

// Rows a block takes at once: enough loads under way to keep memory busy, few enough for the registers.
template <class T>
constexpr int kForwardRows = 2;
template <class T>
constexpr int kBackwardRows = sizeof(T) == 2 ? 3 : 1;

template <class T, class P>
__global__ __launch_bounds__(kNormThreads) void forward_kernel(NormShape shape, NormForward pass) {
  constexpr int R = kForwardRows<T>;
  __shared__ Scratch<R> scratch[2];
  const int column = static_cast<int>(threadIdx.x) * kEight;
  const bool active = column < shape.width, dropping = pass.dropout.threshold != 0;
  const std::uint64_t key = dropping ? pass.dropout.key() : 0;
  float weight[kEight], bias[kEight], added[kEight];
  load_parameter<P>(pass.weight, column, active, weight);
  load_parameter<P>(pass.bias, column, active, bias);
  load_parameter<P>(pass.linear_bias, column, active, added);

  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * R;
  for (std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * R; first < shape.rows; first += stride) {
    const std::int64_t start = first * shape.width + column;
    Eight<T> product[R], residual[R];
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const bool there = active && first + r < shape.rows;
      product[r] = residual[r] = Eight<T>{};
      if (there) product[r] = Eight<T>::load(static_cast<const T*>(pass.x) + start + r * shape.width);
      if (there) residual[r] = Eight<T>::load(static_cast<const T*>(pass.residual) + start + r * shape.width);
    }
    float s[R][kEight];
#pragma unroll
    for (int r = 0; r < R; ++r) {
      float kept[kEight];
      product[r].unpack(s[r]);
      residual[r].unpack(kept);
      add_to(s[r], added);
      if (dropping) drop(s[r], start + r * shape.width, key, pass.dropout);
      add_to(s[r], kept);
    }
    const RowStatistics<R> rows = statistics_of(s, active, shape.width, pass.eps, scratch);
#pragma unroll
    for (int r = 0; r < R; ++r) {
      if (!active || first + r >= shape.rows) continue;
      if (pass.sum != nullptr) store_eight(static_cast<T*>(pass.sum) + start + r * shape.width, s[r]);
#pragma unroll
      for (int i = 0; i < kEight; ++i) {
        s[r][i] = (s[r][i] - rows.mean[r]) * rows.inverse_std[r] * weight[i] + bias[i];
      }
      store_eight(static_cast<T*>(pass.out) + start + r * shape.width, s[r]);
      if (pass.mean != nullptr && threadIdx.x == 0) {
        pass.mean[first + r] = rows.mean[r];
        pass.inverse_std[first + r] = rows.inverse_std[r];
      }
    }
  }
}

// With n = (s - mean) / std and g = grad * weight: grad_sum = (g - mean(g) - n * mean(g * n)) / std.
template <class T, class P>
__global__ __launch_bounds__(kNormThreads) void backward_kernel(NormShape shape, NormBackward pass) {
  constexpr int R = kBackwardRows<T>;
  __shared__ Scratch<2 * R> scratch[2];
  const int column = static_cast<int>(threadIdx.x) * kEight;
  const bool active = column < shape.width, dropping = pass.dropout.threshold != 0;
  const std::uint64_t key = dropping ? pass.dropout.key() : 0;
  const float share = 1.0F / static_cast<float>(shape.width);
  float weight[kEight], weight_grad[kEight] = {}, bias_grad[kEight] = {}, added_grad[kEight] = {};
  load_parameter<P>(pass.weight, column, active, weight);

  int turn = 0;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * R;
  for (std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * R; first < shape.rows; first += stride) {
    const std::int64_t start = first * shape.width + column;
    Eight<T> grad[R], sum[R];
    float mean[R], inverse_std[R];
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const bool row = first + r < shape.rows;
      grad[r] = sum[r] = Eight<T>{};
      if (active && row) grad[r] = Eight<T>::load(static_cast<const T*>(pass.grad) + start + r * shape.width);
      if (active && row) sum[r] = Eight<T>::load(static_cast<const T*>(pass.sum) + start + r * shape.width);
      mean[r] = row ? pass.mean[first + r] : 0.0F;
      inverse_std[r] = row ? pass.inverse_std[first + r] : 0.0F;
    }
    float totals[2 * R];
#pragma unroll
    for (int r = 0; r < R; ++r) {
      float g[kEight], n[kEight];
      grad[r].unpack(g);
      sum[r].unpack(n);
      totals[2 * r] = totals[2 * r + 1] = 0;
#pragma unroll
      for (int i = 0; i < kEight; ++i) {
        n[i] = (n[i] - mean[r]) * inverse_std[r];
        weight_grad[i] += g[i] * n[i];
        bias_grad[i] += g[i];
        totals[2 * r] += g[i] * weight[i];
        totals[2 * r + 1] += g[i] * weight[i] * n[i];
      }
    }
    block_sums(totals, scratch[turn]);
    turn ^= 1;
#pragma unroll
    for (int r = 0; r < R; ++r) {
      if (!active || first + r >= shape.rows) continue;
      float g[kEight], n[kEight];
      grad[r].unpack(g);
      sum[r].unpack(n);
#pragma unroll
      for (int i = 0; i < kEight; ++i) {
        n[i] = (n[i] - mean[r]) * inverse_std[r];
        g[i] = (g[i] * weight[i] - totals[2 * r] * share - n[i] * totals[2 * r + 1] * share) * inverse_std[r];
      }
      store_eight(static_cast<T*>(pass.grad_sum) + start + r * shape.width, g);
      if (dropping) {
        drop(g, start + r * shape.width, key, pass.dropout);
        store_eight(static_cast<T*>(pass.grad_x) + start + r * shape.width, g);
      }
      add_to(added_grad, g);
    }
  }
  if (active) store_partial(pass.partial, shape.width, column, weight_grad, bias_grad, added_grad);
}

template <class T, class P>
std::int64_t forward_blocks(const NormShape& shape) {
  static std::atomic<int> known[kNormWarps + 1];
  return norm_blocks(forward_kernel<T, P>, kForwardRows<T>, shape.rows, shape.width, known);
}
template <class T, class P>
std::int64_t backward_blocks(const NormShape& shape) {
  static std::atomic<int> known[kNormWarps + 1];
  return norm_blocks(backward_kernel<T, P>, kBackwardRows<T>, shape.rows, shape.width, known);
}

}  // namespace

void dropout_add_layer_norm_forward_cuda(const NormShape& shape, const NormForward& pass, void* stream) {
  with_types(shape.is_bfloat16, shape.parameters_are_float, [&](auto value, auto parameter) {
    using T = decltype(value);
    using P = decltype(parameter);
    launch(forward_kernel<T, P>, {blocks_for(forward_blocks<T, P>(shape), 1), threads_for(shape.width)}, stream, shape,
           pass);
  });
}

std::int64_t norm_backward_blocks_cuda(const NormShape& shape) {
  std::int64_t blocks = 0;
  with_types(shape.is_bfloat16, shape.parameters_are_float, [&](auto value, auto parameter) {
    blocks = backward_blocks<decltype(value), decltype(parameter)>(shape);
  });
  return blocks;
}

void dropout_add_layer_norm_backward_cuda(const NormShape& shape, const NormBackward& pass, void* stream) {
  with_types(shape.is_bfloat16, shape.parameters_are_float, [&](auto value, auto parameter) {
    using T = decltype(value);
    using P = decltype(parameter);
    const std::int64_t blocks = backward_blocks<T, P>(shape);
    launch(backward_kernel<T, P>, {blocks_for(blocks, 1), threads_for(shape.width)}, stream, shape, pass);
    column_sums<P>(
        pass.partial, blocks, 3, shape.width,
        {{static_cast<P*>(pass.grad_weight), static_cast<P*>(pass.grad_bias), static_cast<P*>(pass.grad_linear_bias)}},
        stream);
  });
}

}  // namespace hasa::kernels
