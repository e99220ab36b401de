#include "hasa/families/text/sentence_transformer.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "hasa/base/error.h"
#include "hasa/base/file.h"
#include "hasa/base/version.h"
#include "hasa/model/language_model.h"
#include "hasa/nn/safetensors.h"

namespace hasa {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kModules = "sentence_transformers.models.";
constexpr const char* kIdentity = "torch.nn.modules.linear.Identity";
constexpr const char* kTanh = "torch.nn.modules.activation.Tanh";
constexpr const char* kWeights = "model.safetensors";
/// In a run's file: the layers over the language model, and BERT's own pooler.
constexpr std::string_view kOwnLayers = "hasa.", kPooler = "pooler.dense.";

void write_json(const fs::path& file, const Json& json) { write_file(file, json.dump(2) + "\n"); }

/// A folder of sentence-transformers, step after step.
class StepFolders {
 public:
  StepFolders(const fs::path& root, const SafeTensors& weights) : root_(root), weights_(weights) {
    modules_.push_back(module("", "Transformer"));
  }

  void add(const char* type, const Json& config) { start(type, &config); }
  /// With some of the run's tensors under other names.
  void add(const char* type, const Json& config, const std::vector<std::pair<std::string, std::string>>& tensors) {
    const fs::path folder = start(type, &config);
    std::vector<TensorToWrite> list;
    for (const auto& [name, from] : tensors) list.push_back({name, weights_.at(from)});
    write_safetensors(folder / kWeights, list, {{"format", "pt"}});
  }
  void add(const char* type) { start(type, nullptr); }
  void finish() const { write_json(root_ / "modules.json", modules_); }

 private:
  Json module(const std::string& path, const char* type) const {
    const std::size_t number = modules_.size();
    return {{"idx", number}, {"name", std::to_string(number)}, {"path", path}, {"type", std::string(kModules) + type}};
  }
  fs::path start(const char* type, const Json* config) {
    const std::string name = fmt::format("{}_{}", modules_.size(), type);
    fs::create_directory(root_ / name);
    if (config != nullptr) write_json(root_ / name / "config.json", *config);
    modules_.push_back(module(name, type));
    return root_ / name;
  }

  fs::path root_;
  const SafeTensors& weights_;
  Json modules_ = Json::array();
};

Json pooling_config(std::int64_t hidden, bool mean) {
  return {{"word_embedding_dimension", hidden},
          {"pooling_mode_cls_token", !mean},
          {"pooling_mode_mean_tokens", mean},
          {"pooling_mode_max_tokens", false},
          {"pooling_mode_mean_sqrt_len_tokens", false},
          {"pooling_mode_weightedmean_tokens", false},
          {"pooling_mode_lasttoken", false},
          {"include_prompt", true}};
}

Json dense_config(std::int64_t from, std::int64_t to, const char* activation) {
  return {{"in_features", from}, {"out_features", to}, {"bias", true}, {"activation_function", activation}};
}

/// The name with this ending: a model's own layers may be under "bert.".
std::string name_ending(const SafeTensors& weights, std::string_view ending) {
  for (const auto& [name, tensor] : weights.tensors()) {
    if (name.ends_with(ending) && !name.starts_with(kOwnLayers)) return name;
  }
  fail(ErrorKind::data, "{} has no {}", weights.origin(), ending);
}

void write_steps(const TextFamily& config, std::int64_t hidden, const SafeTensors& weights, const fs::path& folder) {
  StepFolders steps(folder, weights);
  const Pooling pooling = config.language_model.pool;
  steps.add("Pooling", pooling_config(hidden, pooling == Pooling::mean));
  if (pooling == Pooling::pooler) {
    const std::string dense(kPooler);
    steps.add("Dense", dense_config(hidden, hidden, kTanh),
              {{"linear.weight", name_ending(weights, dense + "weight")},
               {"linear.bias", name_ending(weights, dense + "bias")}});
  }
  const std::string own(kOwnLayers);
  if (config.model.query == QueryForm::gru) {
    const std::int64_t dim = config.model.dim;
    steps.add("Dense", dense_config(hidden, dim, kIdentity),
              {{"linear.weight", own + "projection.weight"}, {"linear.bias", own + "projection.bias"}});
    steps.add("LayerNorm", {{"dimension", dim}},
              {{"norm.weight", own + "norm.weight"}, {"norm.bias", own + "norm.bias"}});
  }
  if (config.model.score == ScoreForm::cosine) steps.add("Normalize");
  steps.finish();
}

/// Only the language model: transformers does not know the layers on top.
void write_language_model(const fs::path& from, const SafeTensors& weights, const fs::path& to) {
  std::vector<TensorToWrite> list;
  for (const auto& [name, tensor] : weights.tensors()) {
    if (!name.starts_with(kOwnLayers)) list.push_back({name, tensor});
  }
  write_safetensors(to / kWeights, list, {{"format", "pt"}});
  for (const char* name :
       {"config.json", "vocab.txt", "tokenizer_config.json", "special_tokens_map.json", "tokenizer.json"}) {
    if (fs::exists(from / name)) write_file(to / name, read_file(from / name));
  }
}

std::string readme(const TextFamily& config) {
  std::string words = fmt::format(
      "# A language model trained on a knowledge graph\n\nWritten by hasa {}. "
      "`SentenceTransformer(folder).encode(text)` "
      "gives the vector of an entity whose text has the form `{}`{}.\n",
      version(), config.text.entity, config.text.first_clause ? ", the description up to its first semicolon" : "");
  if (config.text.context > 0)
    words += fmt::format("\nIn training up to {} links of the entity follow, each as `; <relation> <neighbour>`.\n",
                         config.text.context);
  if (config.text.soft_neighbours > 0)
    words +=
        fmt::format("\nIn training up to {} links of the entity follow as soft tokens, which are not included here.\n",
                    config.text.soft_neighbours);
  if (config.model.query == QueryForm::joint)
    words += "\nA query is the pair `(text of the head, text of the relation)`, read as two segments.\n";
  return words;
}

}  // namespace

void write_sentence_transformer(const TextFamily& config, const Run& run, const fs::path& folder) {
  const fs::path best = run / Run::kBestFolder;
  const LanguageModel language_model = LanguageModel::open(best.string());
  const SafeTensors weights = SafeTensors::open(run / Run::kBest);
  AtomicFolder made(folder);
  write_language_model(best, weights, made.path());
  write_steps(config, language_model.config.hidden, weights, made.path());
  const bool cosine = config.model.score == ScoreForm::cosine;
  write_json(made.path() / "config_sentence_transformers.json", {{"prompts", Json::object()},
                                                                 {"default_prompt_name", nullptr},
                                                                 {"similarity_fn_name", cosine ? "cosine" : "dot"}});
  write_json(made.path() / "sentence_bert_config.json",
             {{"max_seq_length", config.text.max_tokens}, {"do_lower_case", false}});
  write_file(made.path() / "README.md", readme(config));
  HASA_CHECK(made.commit_where_free(), config, "{} exists and is not empty\nchoose another --out", folder.string());
}

}  // namespace hasa
