#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <utility>
#include <vector>

#include "hasa/base/config.h"
#include "hasa/model/language_model_config.h"
#include "hasa/nn/encoder.h"
#include "hasa/nn/named_tensor.h"
#include "hasa/nn/pooling.h"

namespace hasa {

/// How much of a language model is fine-tuned, and its dropout.
struct TuningConfig {
  double dropout = 0.1;
  double attention_dropout = 0;
  std::int64_t tuned_layers = -1;

  template <class Visitor>
  static void fields(Visitor& field) {
    field("dropout", &TuningConfig::dropout, "dropout probability, also inside the language model", Range{0, 0.9});
    field("attention_dropout", &TuningConfig::attention_dropout,
          "dropout probability of the language model's attention weights", Range{0, 0.9});
    field("tuned_layers", &TuningConfig::tuned_layers,
          "how many of the language model's last layers are fine-tuned; 0: only the new layers on top are trained; -1: "
          "the whole model, embeddings included",
          Range{-1, 1000});
  }
};

/// A language model being fine-tuned: its weights in float32, and working copies
/// if the passes use another precision. Copies of this struct share their tensors.
class TunedEncoder {
 public:
  /// Takes float32 weights on the device to train on. `working` is the precision of the passes.
  TunedEncoder(const TuningConfig& config, Encoder encoder, Pooling pooling, torch::Dtype working);

  /// One vector for each text, [texts, hidden] float32. Differentiable, also in soft [soft tokens, hidden], the rows of
  /// soft tokens. Dropout while `training`.
  torch::Tensor read(const PackedTokens& tokens, bool training, const torch::Tensor& soft = {}) const;

  /// The trained parameters. Gradients are complete after collect_gradients(), updates take effect with publish().
  NamedTensors parameters() const { return encoder_.parameters(); }
  /// Adds the gradients of the working copies to those of the parameters, in float32.
  void collect_gradients() const;
  /// Updates the working copies from the parameters.
  void publish() const;

  /// FLOPs of the layers' matrix products, forward and backward.
  double flops_per_token() const;

  /// An independent copy with the same initial weights.
  TunedEncoder twin() const;

  const Encoder& weights() const { return encoder_; }
  const Encoder& working() const { return working_; }
  Pooling pooling() const { return pooling_; }
  torch::Device device() const { return encoder_.device(); }

 private:
  TuningConfig config_;
  Pooling pooling_;
  Encoder encoder_;  // float32
  Encoder working_;  // shares weights_'s tensors if the passes are float32 too
  std::vector<std::pair<torch::Tensor, torch::Tensor>> copies_;  // parameter, working copy
};

/// Over the weights in `folder`, a Hugging Face folder. Passes are in bfloat16 on a GPU unless the config says
/// otherwise, in float32 on a CPU.
TunedEncoder open_tuned_encoder(const TuningConfig& config, const LanguageModelConfig& language_model,
                                const std::filesystem::path& folder, const torch::Device& device);

}  // namespace hasa
