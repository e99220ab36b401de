#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>

#include "hasa/base/config.h"
#include "hasa/families/text/pair_terms.h"
#include "hasa/families/text/soft_tokens.h"
#include "hasa/input/text_inputs.h"
#include "hasa/model/read_texts.h"
#include "hasa/model/scorer.h"
#include "hasa/model/tuned_encoder.h"
#include "hasa/nn/gru_query.h"
#include "hasa/nn/linear.h"
#include "hasa/nn/parameter.h"

namespace hasa {

enum class QueryForm { gru, joint };
enum class ScoreForm { cosine, dot };

inline EnumNames<QueryForm> names_of(QueryForm) { return {{QueryForm::gru, "gru"}, {QueryForm::joint, "joint"}}; }
inline EnumNames<ScoreForm> names_of(ScoreForm) { return {{ScoreForm::cosine, "cosine"}, {ScoreForm::dot, "dot"}}; }

struct TextModelConfig : TuningConfig {
  QueryForm query = QueryForm::joint;
  std::int64_t dim = 500;
  ScoreForm score = ScoreForm::cosine;
  double scale = 20;

  template <class Visitor>
  static void fields(Visitor& field) {
    field("query", &TextModelConfig::query,
          "gru: head and relation are read apart and joined by a GRU, as in the paper; joint: the language model "
          "reads both as one pair");
    field("dim", &TextModelConfig::dim, "size of entity and query vectors with query=gru", Range{1, 8192});
    field("score", &TextModelConfig::score, "cosine times a learned factor, or the plain dot product");
    field("scale", &TextModelConfig::scale, "factor of the cosine at the start of training; it is learned",
          Range{0.01, 1000});
    TuningConfig::fields(field);
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
  /// New layers are drawn from torch's generator.
  TextModel(const TextModelConfig& config, TunedEncoder encoder);

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

  /// Gives the model weights of PairTerms, 0 to begin with.
  void add_pair_weights(std::int64_t count);
  /// [count]; undefined without.
  const torch::Tensor& pair_weights() const { return pair_weights_; }

  /// Gives the model soft tokens, for texts that have them. Their bank is 0 until set_bank().
  void add_soft_tokens(std::int64_t entities, std::int64_t directed_relations);
  /// Vectors of all entities' own words, [entities, dim]; undefined without soft tokens.
  const torch::Tensor& bank() const { return soft_.bank(); }
  /// Of this copy of the model alone.
  void set_bank(const torch::Tensor& vectors) { soft_.set_bank(vectors); }
  /// The rows of soft tokens, without gradients, in the precision of the passes; null without them. It keeps the bank.
  SoftRows soft_rows() const;

  /// What is trained. Its gradients are there after collect_gradients(), its changes take effect with publish().
  Parameters parameters() const;
  void collect_gradients() const { encoder_.collect_gradients(); }
  void publish() const { encoder_.publish(); }

  /// Writes config.json and model.safetensors, which transformers opens; the vocabulary is the caller's to copy.
  void save(const std::filesystem::path& folder, const std::map<std::string, std::string>& about = {}) const;
  /// Fills what stands on the language model from such a folder.
  void load_new_layers(const std::filesystem::path& folder) const;

  /// Of the layers' matrix products, forward and backward.
  double flops_per_token() const;

  /// Whether a parameter of parameters() makes soft tokens.
  static bool is_of_soft_tokens(const Parameter& parameter);

  const TextModelConfig& config() const { return config_; }
  Pooling pooling() const { return encoder_.pooling(); }
  const Encoder& working() const { return encoder_.working(); }
  torch::Device device() const { return encoder_.device(); }

 private:
  NamedTensors new_layers() const;

  TextModelConfig config_;
  TunedEncoder encoder_;
  Linear projection_;
  LayerNorm norm_;
  GruQuery query_;
  torch::Tensor log_scale_;
  torch::Tensor pair_weights_;
  SoftTokens soft_;
};

/// The model over the weights in `folder`, a Hugging Face folder.
TextModel open_text_model(const TextModelConfig& config, const LanguageModelConfig& language_model,
                          const std::filesystem::path& folder, const torch::Device& device);

/// Vectors of every entity's own words, [entities, dim], without gradients: a bank for soft tokens.
torch::Tensor own_word_vectors(const TextModel& model, const TextInputs& inputs, bool show_progress = false,
                               Comm& comm = one_process());
/// Vectors of every entity as evaluation reads it, [entities, dim], without gradients, from the first `draws` choices
/// of its context; likewise relations (gru). Of several processes each reads its share.
torch::Tensor entity_vectors(const TextModel& model, const TextInputs& inputs, std::uint32_t draws = 1,
                             bool show_progress = false, Comm& comm = one_process());
torch::Tensor relation_vectors(const TextModel& model, const TextInputs& inputs);

/// For ranking and prediction. Entities are read now, so it is to be used before a further step; joint queries are
/// read as they are asked. Where texts have soft tokens it has a bank of its own, read now too: a model and a graph
/// have one, whatever the bank of the model that is given.
std::unique_ptr<VectorScorer> make_scorer(const TextModel& model, const TextInputs& inputs, bool show_progress = false,
                                          Comm& comm = one_process());
/// With the terms that the model has weights for; where `terms` is null, the scorer as it is.
std::unique_ptr<Scorer> with_pair_terms(std::unique_ptr<VectorScorer> scorer, const TextModel& model,
                                        std::shared_ptr<const PairTerms> terms);

}  // namespace hasa
