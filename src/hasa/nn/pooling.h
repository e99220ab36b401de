#pragma once

#include <torch/types.h>

#include <string_view>

#include "hasa/nn/encoder.h"

namespace hasa {

/// How a text's hidden states are pooled.
enum class Pooling {
  mean,    ///< mean over its tokens, special ones included
  cls,     ///< its first token
  pooler,  ///< tanh of the model's own dense layer over the first token
};

/// "mean", "cls" or "pooler"; anything else is an error of kind config that lists them.
Pooling parse_pooling(std::string_view name);
const char* to_string(Pooling pooling);

/// Throws data when the pooling is `pooler` and the encoder's folder had none.
void check_pooling(const Encoder& encoder, Pooling pooling);

/// hidden [tokens, hidden] of forward(tokens) -> [texts, hidden] float32; differentiable.
torch::Tensor pool(const Encoder& encoder, const torch::Tensor& hidden, const PackedTokens& tokens, Pooling pooling);

}  // namespace hasa
