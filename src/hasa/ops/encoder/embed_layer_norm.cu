#include "hasa/ops/core/launch.cuh"
#include "hasa/ops/encoder/embed_layer_norm_kernels.h"
#include "hasa/ops/encoder/layer_norm_rows.cuh"

namespace hasa::kernels {
namespace {

/// The three rows of a token, added up; zeros for a token that is not there.
template <class T>
struct TokenRows {
  Eight<T> word{}, position{}, segment{};

  static __device__ TokenRows load(const EmbedInputs& from, std::int64_t token, std::int64_t width, int column) {
    TokenRows rows;
    const std::int64_t id = from.word_ids[token];
    const T* word =
        id >= 0 ? static_cast<const T*>(from.words) + id * width : static_cast<const T*>(from.soft) + (-1 - id) * width;
    rows.word = Eight<T>::load(word + column);
    rows.position = Eight<T>::load(static_cast<const T*>(from.positions) + from.position_ids[token] * width + column);
    if (from.segments != nullptr) {
      const std::int64_t type = from.segment_ids != nullptr ? from.segment_ids[token] : 0;
      rows.segment = Eight<T>::load(static_cast<const T*>(from.segments) + type * width + column);
    }
    return rows;
  }
  __device__ void sum(float (&s)[kEight]) const {
    float other[kEight];
    word.unpack(s);
    position.unpack(other);
    add_to(s, other);
    segment.unpack(other);
    add_to(s, other);
  }
};

template <class T, class P>
__global__ __launch_bounds__(kNormThreads) void forward_kernel(NormShape shape, EmbedForward pass) {
  constexpr int R = 2;
  __shared__ Scratch<R> scratch[2];
  const int column = static_cast<int>(threadIdx.x) * kEight;
  const bool active = column < shape.width, dropping = pass.dropout.threshold != 0;
  const std::uint64_t key = dropping ? pass.dropout.key() : 0;
  float weight[kEight], bias[kEight];
  load_parameter<P>(pass.weight, column, active, weight);
  load_parameter<P>(pass.bias, column, active, bias);

  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * R;
  for (std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * R; first < shape.rows; first += stride) {
    const std::int64_t start = first * shape.width + column;
    TokenRows<T> rows[R];
#pragma unroll
    for (int r = 0; r < R; ++r) {
      if (active && first + r < shape.rows) rows[r] = TokenRows<T>::load(pass.from, first + r, shape.width, column);
    }
    float s[R][kEight];
#pragma unroll
    for (int r = 0; r < R; ++r) rows[r].sum(s[r]);
    const RowStatistics<R> norm = statistics_of(s, active, shape.width, pass.eps, scratch);
#pragma unroll
    for (int r = 0; r < R; ++r) {
      if (!active || first + r >= shape.rows) continue;
#pragma unroll
      for (int i = 0; i < kEight; ++i) {
        s[r][i] = (s[r][i] - norm.mean[r]) * norm.inverse_std[r] * weight[i] + bias[i];
      }
      if (dropping) drop(s[r], start + r * shape.width, key, pass.dropout);
      store_eight(static_cast<T*>(pass.out) + start + r * shape.width, s[r]);
      if (pass.mean != nullptr && threadIdx.x == 0) {
        pass.mean[first + r] = norm.mean[r];
        pass.inverse_std[first + r] = norm.inverse_std[r];
      }
    }
  }
}

// The sums are gathered again from the tables, most of which stay in the cache, rather than kept.
template <class T, class P>
__global__ __launch_bounds__(kNormThreads) void backward_kernel(NormShape shape, EmbedBackward pass) {
  __shared__ Scratch<2> scratch[2];
  const int column = static_cast<int>(threadIdx.x) * kEight;
  const bool active = column < shape.width, dropping = pass.dropout.threshold != 0;
  const std::uint64_t key = dropping ? pass.dropout.key() : 0;
  const float share = 1.0F / static_cast<float>(shape.width);
  float weight[kEight], weight_grad[kEight] = {}, bias_grad[kEight] = {}, rows_grad[kEight] = {};
  load_parameter<P>(pass.weight, column, active, weight);

  int turn = 0;
  for (std::int64_t token = blockIdx.x; token < shape.rows; token += gridDim.x) {
    const std::int64_t start = token * shape.width + column;
    float g[kEight] = {}, n[kEight] = {}, totals[2] = {};
    if (active) {
      const Eight<T> grad = Eight<T>::load(static_cast<const T*>(pass.grad) + start);
      TokenRows<T>::load(pass.from, token, shape.width, column).sum(n);
      grad.unpack(g);
      if (dropping) drop(g, start, key, pass.dropout);
    }
    const float mean = pass.mean[token], inverse_std = pass.inverse_std[token];
#pragma unroll
    for (int i = 0; i < kEight; ++i) {
      n[i] = (n[i] - mean) * inverse_std;
      weight_grad[i] += g[i] * n[i];
      bias_grad[i] += g[i];
      g[i] *= weight[i];
      totals[0] += g[i];
      totals[1] += g[i] * n[i];
    }
    block_sums(totals, scratch[turn]);
    turn ^= 1;
    if (!active) continue;
#pragma unroll
    for (int i = 0; i < kEight; ++i) g[i] = (g[i] - totals[0] * share - n[i] * totals[1] * share) * inverse_std;
    store_eight(static_cast<T*>(pass.grad_sum) + start, g);
    add_to(rows_grad, g);
  }
  if (active) store_partial(pass.partial, shape.width, column, weight_grad, bias_grad, rows_grad);
}

template <class T, class P>
std::int64_t forward_blocks(const NormShape& shape) {
  static std::atomic<int> known[kNormWarps + 1];
  return norm_blocks(forward_kernel<T, P>, 2, shape.rows, shape.width, known);
}
template <class T, class P>
std::int64_t backward_blocks(const NormShape& shape) {
  static std::atomic<int> known[kNormWarps + 1];
  return norm_blocks(backward_kernel<T, P>, 1, shape.rows, shape.width, known);
}

}  // namespace

void embed_layer_norm_forward_cuda(const NormShape& shape, const EmbedForward& pass, void* stream) {
  with_types(shape.is_bfloat16, shape.parameters_are_float, [&](auto value, auto parameter) {
    using T = decltype(value);
    using P = decltype(parameter);
    launch(forward_kernel<T, P>, {blocks_for(forward_blocks<T, P>(shape), 1), threads_for(shape.width)}, stream, shape,
           pass);
  });
}

std::int64_t embed_backward_blocks_cuda(const NormShape& shape) {
  std::int64_t blocks = 0;
  with_types(shape.is_bfloat16, shape.parameters_are_float, [&](auto value, auto parameter) {
    blocks = backward_blocks<decltype(value), decltype(parameter)>(shape);
  });
  return blocks;
}

void embed_layer_norm_backward_cuda(const NormShape& shape, const EmbedBackward& pass, void* stream) {
  with_types(shape.is_bfloat16, shape.parameters_are_float, [&](auto value, auto parameter) {
    using T = decltype(value);
    using P = decltype(parameter);
    const std::int64_t blocks = backward_blocks<T, P>(shape);
    launch(backward_kernel<T, P>, {blocks_for(blocks, 1), threads_for(shape.width)}, stream, shape, pass);
    column_sums<P>(pass.partial, blocks, 3, shape.width,
                   {{static_cast<P*>(pass.grad_weight), static_cast<P*>(pass.grad_bias), nullptr}}, stream);
    column_sums<float>(pass.partial, blocks, 3, shape.width, {{nullptr, nullptr, pass.grad_all_rows}}, stream);
  });
}

}  // namespace hasa::kernels
