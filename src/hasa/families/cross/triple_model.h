#pragma once

#include <torch/types.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "hasa/input/text_inputs.h"
#include "hasa/model/language_model.h"
#include "hasa/model/tuned_encoder.h"
#include "hasa/nn/named_tensor.h"
#include "hasa/nn/packed_tokens.h"
#include "hasa/nn/parameter.h"

namespace hasa {

/// Scores a triple that a language model has read: higher is truer.
class TripleHead {
 public:
  virtual ~TripleHead() = default;
  /// hidden [tokens, hidden], the encoder's output for triples, with
  /// their spans -> logits [triples] float32, differentiable. Dropout while `training`.
  virtual torch::Tensor logits(const Encoder& encoder, const torch::Tensor& hidden, const PackedTokens& triples,
                               bool training) const = 0;
  /// Its parameters besides the language model's.
  virtual NamedTensors parameters() const = 0;
};

/// A language model that reads head, relation and tail as one text (text/sequence_form.h), and a head on it. Copies
/// share their tensors.
class TripleModel {
 public:
  TripleModel(TunedEncoder encoder, std::shared_ptr<const TripleHead> head);

  /// [triples] float32. Differentiable. Dropout while `training`.
  torch::Tensor logits(const PackedTokens& triples, bool training) const;

  /// The trained parameters. Gradients are complete after collect_gradients(), updates take effect with publish().
  Parameters parameters() const;
  void collect_gradients() const { encoder_.collect_gradients(); }
  void publish() const { encoder_.publish(); }

  /// Writes config.json and model.safetensors, which transformers opens, with the head under "hasa.".
  void save(const std::filesystem::path& folder, const std::map<std::string, std::string>& about) const;
  /// Loads the head from such a folder.
  void load_head(const std::filesystem::path& folder) const;

  const TunedEncoder& encoder() const { return encoder_; }
  const TripleHead& head() const { return *head_; }
  torch::Device device() const { return encoder_.device(); }

 private:
  TunedEncoder encoder_;
  std::shared_ptr<const TripleHead> head_;
};

/// A graph's texts for triples, tokenised or loaded from the graph's folder.
/// Throws config if a triple could exceed the language model's maximum length.
TextInputs triple_inputs(const Graph& graph, const std::filesystem::path& graph_folder, const TextConfig& config,
                         const LanguageModel& language_model);

}  // namespace hasa
