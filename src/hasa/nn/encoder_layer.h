#pragma once

#include <torch/types.h>

#include "hasa/nn/encoder_config.h"
#include "hasa/nn/encoder_weights.h"
#include "hasa/ops/encoder/packed_attention.h"
#include "hasa/ops/encoder/seeded_dropout.h"

namespace hasa {

/// How a layer is applied to a packed batch.
struct LayerCall {
  PackedTexts texts;
  torch::Tensor attention_bias;  // of each distance, as packed_attention has it; undefined for none
  SeededDropout attention, after_attention, after_output;
};

/// One layer of a BERT or MPNet encoder, hidden [tokens, hidden] -> [tokens, hidden]. Differentiable.
///
///   a = LayerNorm(hidden + dropout(attention(hidden) Wo + bo)),  out = LayerNorm(a + dropout(act(a Wu + bu) Wd + bd))
///
/// Without an attention bias, with attention dropout only if its kernels support it
/// (ops/encoder/qkv_attention.h), and with GELU, its backward pass is our own: gradients that meet
/// at a residual are added by the matrix product that computes the second
/// of them, and nothing is stacked or copied. Otherwise it is composed of differentiable parts.
torch::Tensor encoder_layer(const EncoderLayer& layer, const EncoderConfig& config, const torch::Tensor& hidden,
                            const LayerCall& call);

/// Always the composed form: the reference for tests.
torch::Tensor encoder_layer_from_parts(const EncoderLayer& layer, const EncoderConfig& config,
                                       const torch::Tensor& hidden, const LayerCall& call);

/// Composed of LibTorch's own operations, with dropout from
/// torch's generators: the baseline of the fused operations.
torch::Tensor encoder_layer_unfused(const EncoderLayer& layer, const EncoderConfig& config, const torch::Tensor& hidden,
                                    const LayerCall& call);

}  // namespace hasa
