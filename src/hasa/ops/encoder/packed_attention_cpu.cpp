#include "hasa/ops/encoder/packed_attention_cpu.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "hasa/ops/core/cpu_vector.h"

namespace hasa {
namespace {

using cpu::kLanes;
using cpu::Vector;

constexpr std::int64_t kRows = 4;  // queries at a time: four sums hide the latency of a multiply-add

/// One text and head, unpacked to float32 so that every inner loop runs over sixteen neighbours.
struct HeadBuffers {
  std::int64_t length, padded, size, size_padded;
  float* keys_t;   // [size][padded] transposed, zero past the text's end
  float* values;   // [length][size_padded]
  float* queries;  // [kRows][size_padded]
  float* weights;  // [kRows][padded]

  static std::int64_t floats(std::int64_t longest, std::int64_t size) {
    const std::int64_t padded = cpu::round_up(longest);
    const std::int64_t size_padded = cpu::round_up(size);
    return size * padded + longest * size_padded + kRows * (size_padded + padded);
  }
  HeadBuffers(float* memory, std::int64_t text_length, std::int64_t head_size)
      : length(text_length),
        padded(cpu::round_up(text_length)),
        size(head_size),
        size_padded(cpu::round_up(head_size)),
        keys_t(memory),
        values(keys_t + size * padded),
        queries(values + length * size_padded),
        weights(queries + kRows * size_padded) {}
};

/// rows of a head -> [length][width], zeros past `size`.
template <class Element>
[[gnu::always_inline]] inline void unpack_rows(const AttentionView<Element>& from, std::int64_t begin,
                                               std::int64_t rows, std::int64_t head, std::int64_t size,
                                               std::int64_t width, float scale, float* to) {
  for (std::int64_t i = 0; i < rows; ++i) {
    const Element* row = from.row(begin + i, head);
    std::int64_t c = 0;
    for (; c + kLanes <= size; c += kLanes) cpu::store(to + i * width + c, cpu::load(row + c) * scale);
    for (; c < size; ++c) to[i * width + c] = cpu::to_float(row[c]) * scale;
    for (; c < width; ++c) to[i * width + c] = 0.0f;
  }
}

/// rows of a head -> [size][width], zeros past the last row.
template <class Element>
[[gnu::always_inline]] inline void unpack_transposed(const AttentionView<Element>& from, std::int64_t begin,
                                                     std::int64_t rows, std::int64_t head, std::int64_t size,
                                                     std::int64_t width, float* to) {
  for (std::int64_t j = 0; j < rows; ++j) {
    const Element* row = from.row(begin + j, head);
    for (std::int64_t c = 0; c < size; ++c) to[c * width + j] = cpu::to_float(row[c]);
  }
  for (std::int64_t c = 0; c < size; ++c) std::fill(to + c * width + rows, to + (c + 1) * width, 0.0f);
}

/// out[r][j] = sum_c left[r][c] * right_t[c][j] for kRows rows.
[[gnu::always_inline]] inline void product_rows(const float* left, std::int64_t left_width, const float* right_t,
                                                std::int64_t inner, std::int64_t width, float* out) {
  for (std::int64_t j = 0; j < width; j += kLanes) {
    Vector sums[kRows] = {};
    for (std::int64_t c = 0; c < inner; ++c) {
      const Vector column = cpu::load(right_t + c * width + j);
#pragma GCC unroll 4  // else the sums live in memory
      for (int r = 0; r < kRows; ++r) sums[r] += left[r * left_width + c] * column;
    }
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) cpu::store(out + r * width + j, sums[r]);
  }
}

/// Adds the bias of row i, then turns scores into weights that sum to one.
[[gnu::always_inline]] inline void softmax_row(float* row, std::int64_t length, std::int64_t padded,
                                               const float* bias_of_row) {
  if (bias_of_row != nullptr) {
    for (std::int64_t j = 0; j < length; ++j) row[j] += bias_of_row[j];
  }
  std::fill(row + length, row + padded, -std::numeric_limits<float>::infinity());
  Vector most = cpu::load(row);
  for (std::int64_t j = kLanes; j < padded; j += kLanes) most = cpu::greater(cpu::load(row + j), most);
  const float top = cpu::greatest(most);
  Vector total{};
  for (std::int64_t j = 0; j < padded; j += kLanes) {
    const Vector weight = cpu::exp_of_negative(cpu::load(row + j) - top);
    cpu::store(row + j, weight);
    total += weight;
  }
  const float inverse = 1.0f / cpu::sum(total);
  for (std::int64_t j = 0; j < padded; j += kLanes) cpu::store(row + j, cpu::load(row + j) * inverse);
}

template <class Element>
[[gnu::always_inline]] inline void attend_head(const AttentionInputs<Element>& in, std::int64_t text, std::int64_t head,
                                               float* memory, Element* out) {
  const std::int64_t begin = in.offsets[text];
  const HeadBuffers b(memory, in.offsets[text + 1] - begin, in.head_size);
  unpack_transposed(in.k, begin, b.length, head, b.size, b.padded, b.keys_t);
  unpack_rows(in.v, begin, b.length, head, b.size, b.size_padded, 1.0f, b.values);
  for (std::int64_t i = 0; i < b.length; i += kRows) {
    const std::int64_t rows = std::min(kRows, b.length - i);
    unpack_rows(in.q, begin + i, rows, head, b.size, b.size_padded, in.scale, b.queries);
    product_rows(b.queries, b.size_padded, b.keys_t, b.size, b.padded, b.weights);
    for (std::int64_t r = 0; r < rows; ++r) {
      const float* bias = in.bias == nullptr ? nullptr : in.bias + head * (2 * in.span - 1) + in.span - 1 - (i + r);
      softmax_row(b.weights + r * b.padded, b.length, b.padded, bias);
    }
    for (std::int64_t c = 0; c < b.size_padded; c += kLanes) {
      Vector sums[kRows] = {};
      for (std::int64_t j = 0; j < b.length; ++j) {
        const Vector value = cpu::load(b.values + j * b.size_padded + c);
#pragma GCC unroll 4
        for (int r = 0; r < kRows; ++r) sums[r] += b.weights[r * b.padded + j] * value;
      }
#pragma GCC unroll 4
      for (std::int64_t r = 0; r < kRows; ++r) {
        if (r >= rows) break;
        Element* to = out + ((begin + i + r) * in.heads + head) * in.head_size + c;
        if (c + kLanes <= in.head_size) {
          cpu::store(to, sums[r]);
        } else {
          float lanes[kLanes];
          cpu::store(lanes, sums[r]);
          for (std::int64_t x = 0; x < in.head_size - c; ++x) cpu::store_one(to + x, lanes[x]);
        }
      }
    }
  }
}

/// One text and head of the backward pass. With P the weights and dP = dO V^T:
///   dV = P^T dO,  dS = P (dP - rowsum(P dP)),  dQ = scale dS K,  dK = scale dS^T Q,  dbias = dS by distance
[[gnu::always_inline]] inline void backward_head(const AttentionInputs<float>& in, const AttentionGradients& grads,
                                                 std::int64_t text, std::int64_t head, float* memory) {
  const std::int64_t begin = in.offsets[text];
  const HeadBuffers b(memory, in.offsets[text + 1] - begin, in.head_size);
  float* values_t = b.weights + kRows * b.padded;      // [size][padded]
  float* weight_grads = values_t + b.size * b.padded;  // [kRows][padded]
  float* grad_rows = weight_grads + kRows * b.padded;  // [kRows][size_padded]
  const AttentionView<float> grad_out{grads.grad_out, in.heads * in.head_size, in.head_size};
  const auto row_of = [&](float* to, std::int64_t row) {
    return to + ((begin + row) * in.heads + head) * in.head_size;
  };

  unpack_transposed(in.k, begin, b.length, head, b.size, b.padded, b.keys_t);
  unpack_transposed(in.v, begin, b.length, head, b.size, b.padded, values_t);
  for (std::int64_t i = 0; i < b.length; i += kRows) {
    const std::int64_t rows = std::min(kRows, b.length - i);
    unpack_rows(in.q, begin + i, rows, head, b.size, b.size_padded, in.scale, b.queries);
    unpack_rows(grad_out, begin + i, rows, head, b.size, b.size_padded, 1.0f, grad_rows);
    product_rows(b.queries, b.size_padded, b.keys_t, b.size, b.padded, b.weights);
    product_rows(grad_rows, b.size_padded, values_t, b.size, b.padded, weight_grads);
    for (std::int64_t r = 0; r < rows; ++r) {
      const std::int64_t bias_at = head * (2 * in.span - 1) + in.span - 1 - (i + r);
      float* weights = b.weights + r * b.padded;
      float* score_grads = weight_grads + r * b.padded;
      softmax_row(weights, b.length, b.padded, in.bias == nullptr ? nullptr : in.bias + bias_at);
      float inner = 0.0f;
      for (std::int64_t j = 0; j < b.length; ++j) inner += weights[j] * score_grads[j];
      for (std::int64_t j = 0; j < b.length; ++j) score_grads[j] = weights[j] * (score_grads[j] - inner);
      if (grads.bias != nullptr) {
        for (std::int64_t j = 0; j < b.length; ++j) grads.bias[bias_at + j] += score_grads[j];
      }
      float* q_grad = row_of(grads.q, i + r);
      for (std::int64_t j = 0; j < b.length; ++j) {
        const float* key = in.k.row(begin + j, head);
        float* k_grad = row_of(grads.k, j);
        float* v_grad = row_of(grads.v, j);
        for (std::int64_t c = 0; c < b.size; ++c) {
          q_grad[c] += in.scale * score_grads[j] * key[c];
          k_grad[c] += score_grads[j] * b.queries[r * b.size_padded + c];  // queries carry the scale
          v_grad[c] += weights[j] * grad_rows[r * b.size_padded + c];
        }
      }
    }
  }
}

}  // namespace

template <class Element>
void attention_forward_cpu(const AttentionInputs<Element>& in, Element* out) {
  at::parallel_for(0, in.texts * in.heads, in.heads, [&](std::int64_t first, std::int64_t last) {
    std::vector<float> memory(HeadBuffers::floats(in.longest, in.head_size));
    cpu::run_for_this_cpu([&]() __attribute__((always_inline)) {
      for (std::int64_t i = first; i < last; ++i) attend_head(in, i / in.heads, i % in.heads, memory.data(), out);
    });
  });
}
template void attention_forward_cpu<float>(const AttentionInputs<float>&, float*);
template void attention_forward_cpu<cpu::BFloat16Bits>(const AttentionInputs<cpu::BFloat16Bits>&, cpu::BFloat16Bits*);

void attention_backward_cpu(const AttentionInputs<float>& in, const AttentionGradients& grads) {
  // The bias is shared by all texts: a head is then one thread's, so that sums have one order.
  const std::int64_t grain = grads.bias == nullptr ? 1 : in.texts;
  at::parallel_for(0, in.texts * in.heads / std::max<std::int64_t>(grain, 1), 1,
                   [&](std::int64_t first, std::int64_t last) {
                     const std::int64_t padded = cpu::round_up(in.longest);
                     std::vector<float> memory(HeadBuffers::floats(in.longest, in.head_size) + in.head_size * padded +
                                               kRows * (padded + cpu::round_up(in.head_size)));
                     cpu::run_for_this_cpu([&]() __attribute__((always_inline)) {
                       for (std::int64_t i = first * grain; i < last * grain; ++i) {
                         backward_head(in, grads, i % in.texts, i / in.texts, memory.data());
                       }
                     });
                   });
}

}  // namespace hasa
