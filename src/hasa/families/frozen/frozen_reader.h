#pragma once

#include <torch/types.h>

#include <vector>

#include "hasa/families/frozen/frozen_family.h"
#include "hasa/input/text_inputs.h"
#include "hasa/model/language_model.h"
#include "hasa/model/text_reader.h"
#include "hasa/nn/frozen_encoder.h"

namespace hasa {

/// Encodes new texts by the frozen language model and the
/// layers trained over it; an entity's facts act as its neighbours.
class FrozenReader : public TextReader {
 public:
  /// `scorer` must outlive it.
  FrozenReader(const FrozenFamily& config, const LanguageModel& language_model, const Graph& graph,
               const FrozenScorer& scorer);

  torch::Tensor entity_vectors(std::span<const UnseenEntity> entities) const override;
  torch::Tensor query_vectors(std::span<const UnseenQuery> queries) const override;
  torch::Tensor text_vectors(std::span<const std::string> texts) const override;
  bool reads_facts() const override { return scorer_.model().config().context_layers > 0; }
  std::int64_t tokens(const UnseenEntity& entity) const override;

 private:
  torch::Tensor read(const PackedInputs& inputs) const;

  const FrozenScorer& scorer_;
  WordPiece tokenizer_;
  TextInputs inputs_;
  FrozenEncoder encoder_;
  Pooling pooling_;
  std::vector<torch::Tensor> before_context_;
};

}  // namespace hasa
