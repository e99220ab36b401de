#pragma once

#include <torch/types.h>

#include <functional>

#include "hasa/families/text/text_model.h"
#include "hasa/nn/frozen_encoder.h"

namespace hasa {

/// Entities are read when it is made; joint queries as they are asked.
class TextScorer : public VectorScorer {
 public:
  TextScorer(const TextModel& model, const TextInputs& inputs, bool show_progress);

  const torch::Tensor& entities() const override { return entities_; }
  torch::Tensor query_vectors(std::span<const Query> queries) const override;

  const TextModel& model() const { return model_; }
  const TextInputs& inputs() const { return inputs_; }
  const FrozenEncoder& encoder() const { return encoder_; }
  /// [2 relations, dim]; undefined with joint queries.
  const torch::Tensor& relations() const { return relations_; }
  /// The language model's vectors of texts, [texts, hidden]: the mean over
  /// all context samples, where inputs_of(draw) assembles the texts with one of them.
  torch::Tensor read(const std::function<PackedInputs(std::uint32_t draw)>& inputs_of) const;

 private:
  TextModel model_;  // shares its tensors, as the inputs share theirs
  TextInputs inputs_;
  FrozenEncoder encoder_;  // prepared once for all queries
  torch::Tensor entities_, relations_;
};

}  // namespace hasa
