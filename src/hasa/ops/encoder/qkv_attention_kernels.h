#pragma once

#include <cstdint>

#include "hasa/ops/encoder/seeded_dropout_kernels.h"

namespace hasa::kernels {

constexpr std::int64_t kLongestAttended = 128;

/// Everything in bfloat16 and 16-byte aligned: qkv [tokens, 3, heads, size], text t in rows
/// offsets[t] .. offsets[t + 1].
struct QkvShape {
  const std::int32_t* offsets;  // [texts + 1], on the GPU
  std::int64_t texts;
  std::int64_t tokens;
  std::int64_t heads;
  std::int64_t size;     // 32 or 64
  std::int64_t longest;  // at most kLongestAttended
  float scale;           // above 0
  /// Of the weights: that of token t for the key j of its text is value (head * tokens + t) * kLongestAttended + j.
  DropoutView dropout;
};

struct QkvForward {
  const void* qkv;
  void* out;   // [tokens, heads, size]
  float* lse;  // [heads, tokens]
};
void qkv_attention_forward_cuda(const QkvShape& shape, const QkvForward& pass, void* stream);

struct QkvBackward {
  const void* qkv;
  const void* out;
  const void* grad_out;
  const float* lse;
  void* grad_qkv;  // [tokens, 3, heads, size]
};
void qkv_attention_backward_cuda(const QkvShape& shape, const QkvBackward& pass, void* stream);

}  // namespace hasa::kernels
