#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace hasa {

enum class Architecture { bert, mpnet };
enum class Activation { gelu, gelu_tanh, relu };

/// The shape of an encoder, from its config.json.
struct EncoderConfig {
  Architecture architecture = Architecture::bert;
  std::int64_t hidden = 0;
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  std::int64_t intermediate = 0;
  std::int64_t vocabulary = 0;
  std::int64_t positions = 0;         // rows of the position table
  std::int64_t segments = 0;          // rows of the token-type table; 0 for MPNet, which has none
  std::int64_t relative_buckets = 0;  // MPNet's relative attention bias; 0 for BERT
  Activation activation = Activation::gelu;
  double layer_norm_eps = 1e-12;
  double hidden_dropout = 0.1;     // used only while training
  double attention_dropout = 0.1;  // used only while training

  std::int64_t head_size() const { return hidden / heads; }
  /// Position of a text's first token: MPNet keeps rows 0 and 1 for padding.
  std::int64_t first_position() const { return architecture == Architecture::mpnet ? 2 : 0; }
  /// The longest text, special tokens included.
  std::int64_t longest_text() const { return positions - first_position(); }
};

/// Reads config.json of a Hugging Face folder. Rejects by name what the encoder does not support:
/// another architecture ("roberta"), activation, or kind of position embedding.
EncoderConfig read_encoder_config(const std::filesystem::path& file);
/// The same from text; `origin` stands for the file in messages.
EncoderConfig parse_encoder_config(std::string_view json, const std::string& origin);

}  // namespace hasa
