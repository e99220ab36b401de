#pragma once

#include <torch/types.h>

#include <cstdint>

#include "hasa/nn/linear.h"
#include "hasa/nn/named_tensor.h"

namespace hasa {

struct SoftTokenSizes {
  std::int64_t entities = 0, directed_relations = 0;
  std::int64_t dim = 0;     // of an entity's vector
  std::int64_t hidden = 0;  // of the language model
};

/// An entity's edges as tokens of a language model that are no words, one for each edge (r, n):
///
///   row(r, n) = LayerNorm(W2 GELU(W1 standardised(bank[n]) + rho_r) + b2)
///
/// in the place of a word's row in the first layer. bank: vectors of all entities' own words, as the model read them
/// some steps ago; no gradient reaches it. No vector in it knows an edge, so that an edge left out of a text is left
/// out altogether: vectors that had read edges themselves would give away the one being predicted. rho: a learned
/// vector for each relation and direction. No parameter belongs to an entity. Copies share their tensors.
class SoftTokens {
 public:
  SoftTokens() = default;
  /// Parameters are drawn from torch's generator. Rows begin with elements of about the size of those of `words`, a
  /// table of embeddings. The bank is 0.
  SoftTokens(const SoftTokenSizes& sizes, const torch::Tensor& words);

  /// keys: of SoftKeys, [tokens] int64 -> [tokens, hidden] float32. Differentiable in the parameters.
  torch::Tensor rows(const torch::Tensor& keys) const;

  /// [entities, dim]; undefined for an object without tokens.
  const torch::Tensor& bank() const { return bank_; }
  /// Of this copy alone.
  void set_bank(const torch::Tensor& vectors) { bank_ = vectors; }

  NamedTensors parameters() const;

 private:
  torch::Tensor bank_;
  torch::Tensor relations_;  // rho, [directed relations, hidden]
  Linear first_, second_;
  LayerNorm norm_;
};

}  // namespace hasa
