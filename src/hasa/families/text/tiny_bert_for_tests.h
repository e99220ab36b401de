#pragma once

// A BERT of two small layers with random weights, for tests of this folder; never included by the library.

#include <torch/types.h>

#include <filesystem>
#include <string>

#include "hasa/base/file.h"
#include "hasa/nn/tensor_file.h"

namespace hasa::testing {

/// Every lower-case word can be spelled with its vocabulary.
inline std::string letters() {
  std::string lines = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n;\n:\n,\n.\n-\n";
  for (const char* mark : {"", "##"}) {
    for (char c = 'a'; c <= 'z'; ++c) lines += std::string(mark) + c + "\n";
    for (char c = '0'; c <= '9'; ++c) lines += std::string(mark) + c + "\n";
  }
  return lines;
}

/// Writes an ordinary Hugging Face folder.
inline void write_tiny_bert(const std::filesystem::path& folder) {
  constexpr std::int64_t kHidden = 16, kWide = 32, kVocabulary = 82, kPositions = 128;
  std::filesystem::create_directory(folder);
  write_file(folder / "vocab.txt", letters());
  write_file(folder / "config.json",
             R"({"model_type": "bert", "architectures": ["BertModel"], "vocab_size": 82, "hidden_size": 16,
 "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32, "hidden_act": "gelu",
 "max_position_embeddings": 128, "type_vocab_size": 2, "layer_norm_eps": 1e-12, "hidden_dropout_prob": 0.1,
 "attention_probs_dropout_prob": 0.1, "position_embedding_type": "absolute"})");
  torch::manual_seed(3);
  NamedTensors tensors;
  const auto matrix = [&](const std::string& name, std::int64_t rows, std::int64_t columns) {
    tensors.push_back({name + ".weight", torch::randn({rows, columns}) * 0.3});
  };
  const auto linear = [&](const std::string& name, std::int64_t out, std::int64_t in) {
    matrix(name, out, in);
    tensors.push_back({name + ".bias", torch::randn({out}) * 0.1});
  };
  const auto norm = [&](const std::string& name) {
    tensors.push_back({name + ".weight", torch::ones({kHidden})});
    tensors.push_back({name + ".bias", torch::zeros({kHidden})});
  };
  matrix("embeddings.word_embeddings", kVocabulary, kHidden);
  matrix("embeddings.position_embeddings", kPositions, kHidden);
  matrix("embeddings.token_type_embeddings", 2, kHidden);
  norm("embeddings.LayerNorm");
  for (const std::string layer : {"encoder.layer.0.", "encoder.layer.1."}) {
    for (const char* part : {"query", "key", "value"}) linear(layer + "attention.self." + part, kHidden, kHidden);
    linear(layer + "attention.output.dense", kHidden, kHidden);
    norm(layer + "attention.output.LayerNorm");
    linear(layer + "intermediate.dense", kWide, kHidden);
    linear(layer + "output.dense", kHidden, kWide);
    norm(layer + "output.LayerNorm");
  }
  linear("pooler.dense", kHidden, kHidden);
  save_tensors(folder / "model.safetensors", tensors, {{"format", "pt"}});
}

}  // namespace hasa::testing
