#pragma once

#include <torch/types.h>

#include <vector>

#include "hasa/nn/encoder.h"
#include "hasa/nn/pooling.h"
#include "hasa/ops/encoder/packed_linear.h"

namespace hasa {

/// An encoder with fixed weights, prepared for its device once: on the
/// CPU they are packed for the chip's matrix kernels. It does not
/// see later changes of the encoder it was made from. No gradients. Thread-safe.
class FrozenEncoder {
 public:
  explicit FrozenEncoder(const Encoder& encoder);

  /// Hidden states of the last layer, [tokens, hidden]: those of Encoder::forward within rounding. soft: as there.
  torch::Tensor forward(const PackedTokens& tokens, const torch::Tensor& soft = {}) const;
  /// One vector for each text, [texts, hidden] float32.
  torch::Tensor encode(const PackedTokens& tokens, Pooling pooling, const torch::Tensor& soft = {}) const;

  const Encoder& encoder() const { return encoder_; }

 private:
  struct Layer {
    PackedLinear qkv, out, up, down;
  };
  torch::Tensor forward_cpu(const PackedTokens& tokens, const torch::Tensor& soft) const;

  Encoder encoder_;
  std::vector<Layer> layers_;  // on the CPU
  torch::Tensor places_;       // [positions, hidden]: position and first token type, on the CPU
};

}  // namespace hasa
