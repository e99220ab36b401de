#pragma once

#include <torch/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "hasa/nn/encoder_config.h"
#include "hasa/nn/encoder_weights.h"
#include "hasa/nn/named_tensor.h"
#include "hasa/nn/packed_tokens.h"
#include "hasa/ops/encoder/embed_layer_norm.h"
#include "hasa/ops/encoder/seeded_dropout.h"

namespace hasa {

/// Where and in which precision a model's weights are held and its products computed. Layer norms and
/// softmax sum in float32 whatever the precision.
struct EncoderOptions {
  torch::Dtype dtype = torch::kFloat32;  // or kBFloat16, kHalf
  torch::Device device = torch::kCPU;
};

/// A BERT or MPNet encoder over packed tokens, from an ordinary Hugging Face folder.
///
/// forward() is differentiable: gradients reach every parameter that requires them. To encode many texts without
/// gradients use FrozenEncoder or encode_all.
class Encoder {
 public:
  /// Reads config.json and model.safetensors (F32, F16 or BF16, in any mixture). Missing tensors and wrong
  /// shapes are errors that name them; unknown tensors (heads of other tasks) are ignored.
  static Encoder load(const std::filesystem::path& folder, const EncoderOptions& options = {});

  /// Hidden states of the last layer, [tokens, hidden]. `train` enables the dropout of config(), drawn from torch's
  /// generators: the same generator state repeats the same pass. soft [soft tokens, hidden] of dtype(): what the soft
  /// tokens have in the place of a word's row of the first layer.
  torch::Tensor forward(const PackedTokens& tokens, bool train = false, const torch::Tensor& soft = {}) const;

  /// Throws data for texts longer than the model's maximum and, on the CPU, for ids outside its vocabulary; shape where
  /// there is not a row of `soft` for each soft token.
  void check(const PackedTokens& tokens, const torch::Tensor& soft = {}) const;
  /// The bias MPNet adds to the score of each distance key - query, [heads, 2 longest - 1]; undefined for BERT.
  torch::Tensor relative_bias(std::int64_t longest) const;

  const EncoderConfig& config() const { return config_; }
  void set_dropout(double hidden, double attention);
  /// false: use LibTorch's own operations where it has them, for comparison; only in forward().
  void set_fused(bool on) { fused_ = on; }
  const EncoderWeights& weights() const { return weights_; }
  torch::Dtype dtype() const { return weights_.words.scalar_type(); }
  torch::Device device() const { return weights_.words.device(); }

  /// The tensors an optimiser updates, each once. Query, key and value are one tensor per layer.
  NamedTensors parameters() const;
  /// The same values under the names transformers gives them; query, key and value are views of ours.
  NamedTensors hugging_face_tensors() const;
  void set_requires_grad(bool on);
  /// Enables gradients only for the last `layers` and, unless that is 0, for what follows them (the pooler).
  void require_grad_of_last(std::int64_t layers);

  /// A deep copy.
  Encoder copy_as(torch::Dtype dtype) const;

  /// Writes config.json and model.safetensors, which transformers opens, into an existing folder. The caller copies the
  /// vocabulary. `more` goes into the same file, where transformers ignores it.
  void save(const std::filesystem::path& folder, const NamedTensors& more = {},
            const std::map<std::string, std::string>& about = {}) const;

  /// Number of weights that every token is multiplied with: those of the layers' matrices.
  std::int64_t matrix_weights() const;

 private:
  Encoder() = default;
  torch::Tensor embed(const PackedTokens& tokens, const torch::Tensor& soft, const SeededDropout& dropout) const;
  torch::Tensor embed_unfused(const EmbeddingIds& ids, const torch::Tensor& soft, const SeededDropout& dropout) const;

  EncoderConfig config_;
  std::string config_text_;  // as read: entries we do not use are kept for others
  EncoderWeights weights_;
  bool fused_ = true;
  torch::Tensor bucket_of_distance_;  // [2 positions - 1] int64 on the device; MPNet alone
};

}  // namespace hasa
