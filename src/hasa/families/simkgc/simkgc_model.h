#pragma once

#include <torch/types.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "hasa/input/text_inputs.h"
#include "hasa/model/scorer.h"
#include "hasa/model/tuned_encoder.h"
#include "hasa/nn/parameter.h"

namespace hasa {

struct SimkgcModelConfig : TuningConfig {
  double temperature = 0.05;

  template <class Visitor>
  static void fields(Visitor& field) {
    field("temperature", &SimkgcModelConfig::temperature,
          "initial temperature, which divides the cosine; it is learned", Range{0.001, 100});
    TuningConfig::fields(field);
  }
};

/// Two language models initialised from the same weights: one reads head and relation as a pair, the other
/// an entity. Their pooled and normalised vectors are query and entity, and score = query . entity / temperature.
class SimkgcModel {
 public:
  /// Copies share their tensors.
  SimkgcModel(const SimkgcModelConfig& config, TunedEncoder start);

  const TunedEncoder& queries() const { return queries_; }
  const TunedEncoder& entities() const { return entities_; }
  /// The learned 1 / temperature, [].
  torch::Tensor scale() const { return log_scale_.exp(); }

  /// The trained parameters. Gradients are complete after collect_gradients(), updates take effect with publish().
  Parameters parameters() const;
  void collect_gradients() const;
  void publish() const;

  /// Writes config.json and model.safetensors, which transformers opens as the entity model; the
  /// rest is under "hasa." in the same file. The caller copies the vocabulary.
  void save(const std::filesystem::path& folder, const std::map<std::string, std::string>& about = {}) const;
  /// Loads everything besides the entity model from such a folder.
  void load_rest(const std::filesystem::path& folder) const;

  torch::Device device() const { return entities_.device(); }

 private:
  NamedTensors rest() const;

  TunedEncoder entities_, queries_;
  torch::Tensor log_scale_;
};

/// For ranking and prediction. Entities are encoded now: use it before
/// the next step; of several processes each reads its share. Queries are encoded when asked.
std::unique_ptr<VectorScorer> make_simkgc_scorer(const SimkgcModel& model, const TextInputs& inputs,
                                                 bool show_progress = false, Comm& comm = one_process());

}  // namespace hasa
