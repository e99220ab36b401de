#include "hasa/nn/encoder_config.h"

#include <nlohmann/json.hpp>

#include "hasa/base/error.h"
#include "hasa/base/file.h"

namespace hasa {
namespace {

using nlohmann::json;

class ConfigReader {
 public:
  ConfigReader(const json& object, const std::string& origin) : object_(object), origin_(origin) {}

  std::string word(const char* key, const char* otherwise) const {
    const auto found = object_.find(key);
    if (found == object_.end() || found->is_null()) {
      HASA_CHECK(otherwise != nullptr, data, "{}: \"{}\" is missing", origin_, key);
      return otherwise;
    }
    HASA_CHECK(found->is_string(), data, "{}: \"{}\" must be a string", origin_, key);
    return found->get<std::string>();
  }
  std::int64_t count(const char* key, std::int64_t otherwise = 0) const {
    const auto found = object_.find(key);
    if (found == object_.end()) {
      HASA_CHECK(otherwise > 0, data, "{}: \"{}\" is missing", origin_, key);
      return otherwise;
    }
    // A billion is more than any model has of anything, and keeps products of two within 64 bits.
    HASA_CHECK(found->is_number_integer() && found->get<double>() >= 1 && found->get<double>() <= 1e9, data,
               "{}: \"{}\" must be a whole number from 1 on", origin_, key);
    return found->get<std::int64_t>();
  }
  double real(const char* key, double otherwise, double lowest, double highest) const {
    const auto found = object_.find(key);
    if (found == object_.end() || found->is_null()) return otherwise;
    HASA_CHECK(found->is_number() && found->get<double>() >= lowest && found->get<double>() <= highest, data,
               "{}: \"{}\" must be a number from {} to {}", origin_, key, lowest, highest);
    return found->get<double>();
  }

 private:
  const json& object_;
  const std::string& origin_;
};

Architecture parse_architecture(const std::string& name, const std::string& origin) {
  if (name == "bert") return Architecture::bert;
  if (name == "mpnet") return Architecture::mpnet;
  fail(ErrorKind::data, "{}: the architecture \"{}\" is not supported; bert and mpnet are", origin, name);
}

Activation parse_activation(const std::string& name, const std::string& origin) {
  if (name == "gelu") return Activation::gelu;
  if (name == "gelu_new" || name == "gelu_pytorch_tanh") return Activation::gelu_tanh;
  if (name == "relu") return Activation::relu;
  fail(ErrorKind::data, "{}: the activation \"{}\" is not supported; gelu, gelu_new and relu are", origin, name);
}

}  // namespace

EncoderConfig parse_encoder_config(std::string_view text, const std::string& origin) {
  const json object = json::parse(text, nullptr, /*allow_exceptions=*/false);
  HASA_CHECK(object.is_object(), data, "{}: not a JSON object", origin);
  const ConfigReader read(object, origin);

  EncoderConfig config;
  config.architecture = parse_architecture(read.word("model_type", nullptr), origin);
  const bool mpnet = config.architecture == Architecture::mpnet;
  config.hidden = read.count("hidden_size");
  config.layers = read.count("num_hidden_layers");
  config.heads = read.count("num_attention_heads");
  config.intermediate = read.count("intermediate_size");
  config.vocabulary = read.count("vocab_size");
  config.positions = read.count("max_position_embeddings", 512);
  config.segments = mpnet ? 0 : read.count("type_vocab_size", 2);
  config.relative_buckets = mpnet ? read.count("relative_attention_num_buckets", 32) : 0;
  config.activation = parse_activation(read.word("hidden_act", "gelu"), origin);
  config.layer_norm_eps = read.real("layer_norm_eps", 1e-12, 0, 1);
  config.hidden_dropout = read.real("hidden_dropout_prob", 0.1, 0, 0.99);
  config.attention_dropout = read.real("attention_probs_dropout_prob", 0.1, 0, 0.99);

  HASA_CHECK(config.layers <= 1000, data, "{}: {} layers", origin, config.layers);
  HASA_CHECK(config.hidden % config.heads == 0, data, "{}: hidden_size {} is no multiple of num_attention_heads {}",
             origin, config.hidden, config.heads);
  HASA_CHECK(config.longest_text() > 0, data, "{}: max_position_embeddings {} leaves no position", origin,
             config.positions);
  const std::string positions = read.word("position_embedding_type", "absolute");
  HASA_CHECK(positions == "absolute", data, "{}: position_embedding_type \"{}\" is not supported; absolute is", origin,
             positions);
  return config;
}

EncoderConfig read_encoder_config(const std::filesystem::path& file) {
  return parse_encoder_config(read_file(file), file.string());
}

}  // namespace hasa
