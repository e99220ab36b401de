#pragma once

#include <cstdint>

namespace hasa {

/// What the CPU kernel of packed_attention sees: pointers and strides, counted in elements.
template <class Element>
struct AttentionView {
  const Element* data = nullptr;
  std::int64_t token_stride = 0;
  std::int64_t head_stride = 0;

  const Element* row(std::int64_t token, std::int64_t head) const {
    return data + token * token_stride + head * head_stride;
  }
};

template <class Element>
struct AttentionInputs {
  AttentionView<Element> q, k, v;
  const std::int32_t* offsets = nullptr;
  std::int64_t texts = 0, heads = 0, head_size = 0, longest = 0;
  float scale = 1.0f;
  const float* bias = nullptr;  // [heads, 2 span - 1] or null
  std::int64_t span = 0;
};

/// out: [tokens, heads, head_size], contiguous. Element is float or cpu::BFloat16Bits. Parallel over texts and heads.
template <class Element>
void attention_forward_cpu(const AttentionInputs<Element>& in, Element* out);

/// Gradients in float32, contiguous, for the same inputs in float32; grad_bias like bias, or null.
struct AttentionGradients {
  const float* grad_out = nullptr;  // [tokens, heads, head_size]
  float* q = nullptr;
  float* k = nullptr;
  float* v = nullptr;
  float* bias = nullptr;
};
void attention_backward_cpu(const AttentionInputs<float>& in, const AttentionGradients& grads);

}  // namespace hasa
