#pragma once

#include "hasa/base/config.h"
#include "hasa/families/cross/triple_model.h"
#include "hasa/model/tuned_encoder.h"

namespace hasa {

struct LassModelConfig : TuningConfig {
  double bias = 7;
  double scale = 0.05;

  template <class Visitor>
  static void fields(Visitor& field) {
    field("bias", &LassModelConfig::bias, "score of a triple whose head and relation vectors add up to its tail",
          Range{-1000, 1000});
    field("scale", &LassModelConfig::scale, "initial scale of the squared distance; it is learned", Range{1e-6, 1000});
    TuningConfig::fields(field);
  }
};

/// The vectors of each text's parts: the means of their tokens, [texts, parts, hidden] float32, differentiable.
/// `texts` has spans. A part without tokens has the vector 0.
torch::Tensor span_means(const torch::Tensor& hidden, const PackedTokens& texts);

/// LASS: the language model reads the triple as one text, and a translation scores its output.
/// With h, r and t the mean contextual vectors of the tokens of head, relation and tail,
///
///   logit = bias - scale / 2 * |h + r - t|^2
///
/// Its authors have no scale. A language model's vectors are long: without a scale all logits start far below 0.
class SpanHead : public TripleHead {
 public:
  explicit SpanHead(const LassModelConfig& config);

  torch::Tensor logits(const Encoder& encoder, const torch::Tensor& hidden, const PackedTokens& triples,
                       bool training) const override;
  NamedTensors parameters() const override { return {{"log_scale", log_scale_}}; }

 private:
  double bias_;
  torch::Tensor log_scale_;  // []
};

}  // namespace hasa
