#pragma once

#include "hasa/families/cross/triple_model.h"
#include "hasa/nn/linear.h"
#include "hasa/nn/pooling.h"

namespace hasa {

/// KG-BERT's head: a layer on the vector of the whole text,
///
///   logit = weight . dropout(pool(LM("[CLS] head [SEP] relation [SEP] tail [SEP]"))) + bias
///
/// Its authors use two outputs and a softmax; this is their difference, so its sigmoid is their probability.
class PooledHead : public TripleHead {
 public:
  /// The layer is drawn from torch's generator.
  PooledHead(std::int64_t hidden, Pooling pooling, double dropout)
      : pooling_(pooling), dropout_(dropout), layer_(hidden, 1) {}

  torch::Tensor logits(const Encoder& encoder, const torch::Tensor& hidden, const PackedTokens& triples,
                       bool training) const override;
  NamedTensors parameters() const override { return layer_.parameters(); }

 private:
  Pooling pooling_;
  double dropout_;
  Linear layer_;
};

}  // namespace hasa
