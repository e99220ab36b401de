#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>

#include "hasa/base/config.h"
#include "hasa/input/text_inputs.h"
#include "hasa/model/language_model.h"
#include "hasa/model/language_model_config.h"
#include "hasa/model/scorer.h"
#include "hasa/nn/encoder.h"
#include "hasa/nn/gru_query.h"
#include "hasa/nn/linear.h"
#include "hasa/nn/parameter.h"
#include "hasa/nn/pooling.h"

namespace hasa {

enum class QueryForm { gru, joint };
enum class ScoreForm { cosine, dot };

inline EnumNames<QueryForm> names_of(QueryForm) { return {{QueryForm::gru, "gru"}, {QueryForm::joint, "joint"}}; }
inline EnumNames<ScoreForm> names_of(ScoreForm) { return {{ScoreForm::cosine, "cosine"}, {ScoreForm::dot, "dot"}}; }

struct TextModelConfig {
  QueryForm query = QueryForm::joint;
  std::int64_t dim = 500;
  ScoreForm score = ScoreForm::cosine;
  double scale = 20;
  double dropout = 0.1;
  double attention_dropout = 0;
  std::int64_t tuned_layers = -1;

  template <class Visitor>
  static void fields(Visitor& field) {
    field("query", &TextModelConfig::query,
          "gru: head and relation are read apart and joined by a GRU, as in the paper; joint: the language model "
          "reads both as one pair");
    field("dim", &TextModelConfig::dim, "size of entity and query vectors with query=gru", Range{1, 8192});
    field("score", &TextModelConfig::score, "cosine times a learned factor, or the plain dot product");
    field("scale", &TextModelConfig::scale, "factor of the cosine at the start of training; it is learned",
          Range{0.01, 1000});
    field("dropout", &TextModelConfig::dropout,
          "share of the values hidden while training, inside the language model too", Range{0, 0.9});
    field("attention_dropout", &TextModelConfig::attention_dropout,
          "share of the language model's attention weights hidden while training", Range{0, 0.9});
    field("tuned_layers", &TextModelConfig::tuned_layers,
          "how many of the language model's last layers are trained; 0 trains only what is new (query=gru), -1 the "
          "whole model, embeddings included",
          Range{-1, 1000});
  }
};

/// HaSa over a language model that is trained with it. A text's vector is pool(LM(tokens)); from it
///
///   gru     entity and relation  dropout(LayerNorm(P text)),  query  GRU(entity(h), relation(r))
///   joint   entity and query     the text's vector itself; a query's text is head and relation as one pair
///
/// With the cosine all of these are unit vectors. score = scale * query . entity.
class TextModel {
 public:
  /// Takes float32 weights on the device to train on. New layers are drawn from torch's generator. `working` is the
  /// precision of the passes: other than float32 it gets copies of the weights, see publish().
  TextModel(const TextModelConfig& config, Encoder encoder, Pooling pooling, torch::Dtype working);

  /// One vector for each text, [texts, hidden] float32. Differentiable. Dropout while `training`.
  torch::Tensor read(const PackedTokens& tokens, bool training) const;
  /// read()'s vectors as entities or, with query=gru, as relations: [n, hidden] -> [n, dim].
  torch::Tensor entities(const torch::Tensor& texts, bool training) const;
  /// query=gru: heads [queries, dim] and the relation of each -> [queries, dim].
  torch::Tensor gru_queries(const torch::Tensor& heads, const torch::Tensor& relations,
                            const torch::Tensor& relation_of) const;
  /// query=joint: vectors of queries' texts, [queries, hidden] -> [queries, hidden].
  torch::Tensor joint_queries(const torch::Tensor& texts) const;
  /// The learned factor of the cosine, []; 1 for the dot product.
  torch::Tensor scale() const;

  /// What is trained. Its gradients are there after collect_gradients(), its changes take effect with publish().
  Parameters parameters() const;
  /// Adds the gradients of the working copies to those of the parameters, in float32.
  void collect_gradients() const;
  /// Brings the working copies up to date with the parameters.
  void publish() const;

  /// Writes config.json and model.safetensors, which transformers opens; the vocabulary is the caller's to copy.
  void save(const std::filesystem::path& folder, const std::map<std::string, std::string>& about = {}) const;
  /// Fills what stands on the language model from such a folder.
  void load_new_layers(const std::filesystem::path& folder) const;

  /// Of the layers' matrix products, forward and backward.
  double flops_per_token() const;

  const TextModelConfig& config() const { return config_; }
  Pooling pooling() const { return pooling_; }
  const Encoder& working() const { return working_; }
  torch::Device device() const { return encoder_.device(); }

 private:
  NamedTensors new_layers() const;

  TextModelConfig config_;
  Pooling pooling_;
  Encoder encoder_;                                              // float32
  Encoder working_;                                              // the same tensors where the passes are float32 too
  std::vector<std::pair<torch::Tensor, torch::Tensor>> copies_;  // parameter, working copy
  Linear projection_;
  LayerNorm norm_;
  GruQuery query_;
  torch::Tensor log_scale_;
};

/// The model over the weights in `folder`, a Hugging Face folder. Passes are in bfloat16 on a GPU unless the config
/// says otherwise, in float32 on a CPU.
TextModel open_text_model(const TextModelConfig& config, const LanguageModelConfig& language_model,
                          const std::filesystem::path& folder, const torch::Device& device);

/// The words of a graph for that language model, tokenised or as an earlier call left them in the graph's folder.
TextInputs text_inputs(const Graph& graph, const std::filesystem::path& graph_folder, const TextConfig& config,
                       const LanguageModel& language_model);

/// Vectors of every entity as evaluation reads it, [entities, dim], without gradients, from the first `draws` choices
/// of its context; likewise relations (gru).
torch::Tensor entity_vectors(const TextModel& model, const TextInputs& inputs, std::uint32_t draws = 1,
                             bool show_progress = false);
torch::Tensor relation_vectors(const TextModel& model, const TextInputs& inputs);

/// For ranking and prediction. Entities are read now, so it is to be used before a further step; joint queries are
/// read as they are asked.
std::unique_ptr<VectorScorer> make_scorer(const TextModel& model, const TextInputs& inputs, bool show_progress = false);

}  // namespace hasa
