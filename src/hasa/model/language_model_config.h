#pragma once

#include <string>

#include "hasa/base/config.h"
#include "hasa/nn/pooling.h"

namespace hasa {

/// Precision of a language model's passes.
enum class Precision { automatic, fp32, bf16 };

inline EnumNames<Precision> names_of(Precision) {
  return {{Precision::automatic, "auto"}, {Precision::fp32, "fp32"}, {Precision::bf16, "bf16"}};
}
inline EnumNames<Pooling> names_of(Pooling) {
  return {{Pooling::mean, "mean"}, {Pooling::cls, "cls"}, {Pooling::pooler, "pooler"}};
}

/// The language model that reads the texts.
struct LanguageModelConfig {
  std::string path = "all-MiniLM-L6-v2";
  Pooling pool = Pooling::mean;
  Precision precision = Precision::automatic;
  bool fused = true;

  template <class Visitor>
  static void fields(Visitor& field) {
    path_field(field);
    field("pool", &LanguageModelConfig::pool,
          "pooling of a text's token vectors: their mean, that of [CLS], or that passed through the model's pooler");
    precision_field(field);
  }
  /// For families whose layers read token vectors without pooling.
  template <class Visitor>
  static void unpooled_fields(Visitor& field) {
    path_field(field);
    precision_field(field);
  }

 private:
  template <class Visitor>
  static void path_field(Visitor& field) {
    field("path", &LanguageModelConfig::path,
          "a Hugging Face folder (config.json, vocab.txt, model.safetensors), or the name of one in HASA_MODELS");
  }
  template <class Visitor>
  static void precision_field(Visitor& field) {
    field("precision", &LanguageModelConfig::precision,
          "precision of matrix products; auto: bf16 on a GPU, and on a CPU with bf16 instructions if the model is "
          "frozen, otherwise fp32");
  }
};

/// For families that fine-tune the language model.
struct TunedLanguageModelConfig : LanguageModelConfig {
  template <class Visitor>
  static void fields(Visitor& field) {
    LanguageModelConfig::fields(field);
    own_fields(field);
  }
  template <class Visitor>
  static void own_fields(Visitor& field) {
    field("fused", &LanguageModelConfig::fused,
          "false: fine-tune with LibTorch's own operations instead of fused kernels: slower, for comparison");
  }
};

torch::Dtype dtype_for(Precision precision, const torch::Device& device);

}  // namespace hasa
