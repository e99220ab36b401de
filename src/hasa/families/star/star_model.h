#pragma once

#include <torch/types.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "hasa/input/text_inputs.h"
#include "hasa/model/scorer.h"
#include "hasa/model/tuned_encoder.h"
#include "hasa/nn/linear.h"
#include "hasa/nn/parameter.h"

namespace hasa {

/// One language model encodes head and relation as a pair (u), and tails (v); a one-layer classifier over [u; u
/// * v; u - v; v] predicts whether the triple is true, and so does the distance of u and v.
class StarModel {
 public:
  /// The classifier is drawn from torch's generator. Copies share their tensors.
  StarModel(const TuningConfig& config, TunedEncoder encoder);

  const TunedEncoder& encoder() const { return encoder_; }
  /// For pairs of rows: queries and entities
  /// [..., hidden], broadcastable -> [...]. Dropout while `training`.
  torch::Tensor logits(const torch::Tensor& queries, const torch::Tensor& entities, bool training) const;
  static torch::Tensor distances(const torch::Tensor& queries, const torch::Tensor& entities);

  /// The classifier's logit is linear in v, so it is the dot product of these two:
  ///
  ///   query  [w_uv * u + w_v - w_d;  (w_u + w_d) . u + b]     entity  [v; 1]      [n, hidden + 1]
  torch::Tensor query_vectors(const torch::Tensor& queries) const;
  static torch::Tensor entity_vectors(const torch::Tensor& entities);

  /// What is trained.
  Parameters parameters() const;

  /// Writes config.json and model.safetensors, which transformers opens; the caller copies the vocabulary.
  void save(const std::filesystem::path& folder, const std::map<std::string, std::string>& about = {}) const;
  /// Loads the classifier from such a folder.
  void load_classifier(const std::filesystem::path& folder) const;

 private:
  NamedTensors new_layers() const;

  double dropout_;
  TunedEncoder encoder_;
  Linear classifier_;  // [1, 4 hidden]
};

/// For ranking and prediction, by the classifier. Entities are encoded now: use it before
/// the next step; of several processes each reads its share. Queries are encoded when asked.
std::unique_ptr<VectorScorer> make_star_scorer(const StarModel& model, const TextInputs& inputs,
                                               bool show_progress = false, Comm& comm = one_process());

}  // namespace hasa
