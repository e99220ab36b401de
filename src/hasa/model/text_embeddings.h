#pragma once

#include <torch/types.h>

#include <filesystem>
#include <string>

#include "hasa/dist/comm.h"
#include "hasa/input/text_config.h"
#include "hasa/kg/graph.h"
#include "hasa/model/language_model_config.h"

namespace hasa {

/// A frozen language model's embeddings of a graph's texts: unit vectors, computed once.
struct TextEmbeddings {
  torch::Tensor entities;   // [entities, hidden] float32
  torch::Tensor relations;  // [2 relations, hidden] float32
  std::string made_from;    // records graph, weights, template and precision
  bool checked = false;     // read from a file with a checksum; files of older programs have none

  std::int64_t hidden() const { return entities.size(1); }

  void save(const std::filesystem::path& file) const;
  /// Throws data if the file is damaged or not a file of embeddings.
  static TextEmbeddings load(const std::filesystem::path& file);
  /// Everybody's become rank 0's.
  void share(Comm& comm);
};

/// Tokenises and encodes every entity and relation, with a progress bar. Tokens and embeddings are cached in
/// `graph_folder` for the next call with the same model and options. Errors in the options or the model are found
/// before anything is encoded. A stop signal ends it with Stopped, and the next call encodes the rest, also after a
/// kill. It waits for another process that is encoding the same texts.
TextEmbeddings embed_texts(const Graph& graph, const std::filesystem::path& graph_folder, const TextConfig& text,
                           const LanguageModelConfig& config, const torch::Device& device);

/// Puts what embed_texts makes of `from` beside `to`, whose texts are then not read again. Throws data where the two
/// have not the same texts under the same numbers; their triples may differ.
void copy_text_embeddings(const Graph& from, const std::filesystem::path& from_folder, const Graph& to,
                          const std::filesystem::path& to_folder, const TextConfig& text,
                          const LanguageModelConfig& config, const torch::Device& device);

}  // namespace hasa
