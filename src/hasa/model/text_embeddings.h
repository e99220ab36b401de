#pragma once

#include <torch/types.h>

#include <filesystem>
#include <string>

#include "hasa/input/text_config.h"
#include "hasa/kg/graph.h"
#include "hasa/model/language_model_config.h"

namespace hasa {

/// What a frozen language model makes of a graph's texts: unit vectors, computed once.
struct TextEmbeddings {
  torch::Tensor entities;   // [entities, hidden] float32
  torch::Tensor relations;  // [2 relations, hidden] float32
  std::string made_from;    // graph, weights, template and precision, for the record
  bool checked = false;     // read from a file that had a checksum; those of older programs have none

  std::int64_t hidden() const { return entities.size(1); }

  void save(const std::filesystem::path& file) const;
  /// Throws data when the file is damaged or holds something else.
  static TextEmbeddings load(const std::filesystem::path& file);
};

/// Tokenises and encodes every entity and relation, with a progress bar. Tokens and embeddings are kept in
/// `graph_folder`, so that the next call with the same model and options reads them back. Whatever is wrong with
/// the options or the model is found before anything is encoded. A signal that asks to stop ends it with Stopped, and
/// the next call encodes the rest; so does one after a kill. Another process that reads the same texts is waited for.
TextEmbeddings embed_texts(const Graph& graph, const std::filesystem::path& graph_folder, const TextConfig& text,
                           const LanguageModelConfig& config, const torch::Device& device);

/// Puts what embed_texts makes of `from` beside `to`, whose texts are then not read again. Throws data where the two
/// have not the same texts under the same numbers; their triples may differ.
void copy_text_embeddings(const Graph& from, const std::filesystem::path& from_folder, const Graph& to,
                          const std::filesystem::path& to_folder, const TextConfig& text,
                          const LanguageModelConfig& config, const torch::Device& device);

}  // namespace hasa
