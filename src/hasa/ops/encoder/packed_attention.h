#pragma once

#include <torch/types.h>

#include <cstdint>
#include <optional>

namespace hasa {

/// Texts laid end to end: text t owns rows offsets[t] .. offsets[t + 1].
struct PackedTexts {
  torch::Tensor offsets;     // [texts + 1] int32, on the device of q
  std::int64_t longest = 0;  // rows of the longest text
};

struct AttentionOptions {
  double scale = 1.0;
  torch::Tensor bias;    // [heads, 2 span - 1], span >= longest: added to the score of distance key - query,
                         // found at column distance + span - 1; undefined for none
  double dropout = 0.0;  // of the attention weights; 0 unless training
};

/// Attention within each text of a packed batch. For every text, head and row i of that text:
///
///   out[i] = sum_j softmax_j(scale * q[i] . k[j] + bias[j - i]) v[j],   j over the rows of the same text
///
/// q, k, v: [tokens, heads, head_size], last dimension contiguous (views of one qkv product are), one dtype of
/// float32, bfloat16, float16; out like q, contiguous. Scores, softmax and sums are float32. Differentiable in
/// q, k, v and bias. Deterministic on the CPU for any number of threads. Empty texts are allowed and own no rows.
///
/// CPU: own kernel, forward and backward. CUDA: flash attention on cumulative lengths for half types without
/// bias; else, and with dropout on the CPU, softmax over a padded batch.
torch::Tensor packed_attention(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
                               const PackedTexts& texts, const AttentionOptions& options);

/// The obvious loop in double, on the CPU: the reference for tests. No dropout.
torch::Tensor packed_attention_reference(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
                                         const PackedTexts& texts, const AttentionOptions& options);

}  // namespace hasa
