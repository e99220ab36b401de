#pragma once

#include <torch/types.h>

#include "hasa/ops/encoder/packed_attention.h"
#include "hasa/ops/encoder/seeded_dropout.h"

namespace hasa {

struct QkvAttention {
  torch::Tensor out;  // [tokens, heads, size], contiguous
  torch::Tensor lse;  // log of the sum of exp(scores), [heads, tokens] float32; undefined where nothing needs it
  torch::Tensor random_state, unused;  // what ATen's flash kernels want back
};

/// Attention within each text of a packed batch, on the product that holds query, key and value. For every text,
/// head and row i of that text:
///
///   out[i] = sum_j softmax_j(scale * q[i] . k[j]) v[j],   j over the rows of the same text
///
/// qkv: [tokens, 3, heads, size], contiguous; scale above 0. Same values as packed_attention, which also has a bias;
/// here the gradient comes as one tensor and a short text costs little. Empty texts are allowed and own no rows.
///
/// With dropout each weight, once they sum to 1, is multiplied by a factor of seeded_dropout_factors, that of token t
/// for the key j of its text by the factor at [head, t, j] of [heads, tokens, 128]. Own kernels alone have it.
///
/// CUDA in bfloat16, size 32 or 64, texts of at most 128 rows: own kernels, which read and write every value once,
/// never wait for the host, and give the same bits each time; weights are rounded to bfloat16 before they meet v.
/// CUDA in other half types or shapes: ATen's flash kernels. Anything else: packed_attention.
QkvAttention qkv_attention_forward(const torch::Tensor& qkv, const PackedTexts& texts, double scale,
                                   const SeededDropout& dropout = {});

/// The gradient of qkv, [tokens, 3, heads, size], contiguous. `forward` is the forward pass of the same arguments.
torch::Tensor qkv_attention_backward(const torch::Tensor& grad_out, const torch::Tensor& qkv,
                                     const QkvAttention& forward, const PackedTexts& texts, double scale,
                                     const SeededDropout& dropout = {});

/// Whether own kernels take such a tensor, heads of that size, and texts of at most that many rows.
bool qkv_attention_has_kernel(const torch::Tensor& like, std::int64_t size, std::int64_t longest);

/// Differentiable in qkv.
torch::Tensor qkv_attention(const torch::Tensor& qkv, const PackedTexts& texts, double scale);

/// One text after the other in double, on the CPU: the values, and the gradient of qkv for that of the values.
struct QkvAttentionReference {
  torch::Tensor out, grad_qkv;
};
QkvAttentionReference qkv_attention_reference(const torch::Tensor& qkv, const torch::Tensor& grad_out,
                                              const PackedTexts& texts, double scale,
                                              const SeededDropout& dropout = {});

}  // namespace hasa
