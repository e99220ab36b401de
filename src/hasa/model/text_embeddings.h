#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "hasa/dist/comm.h"
#include "hasa/input/text_config.h"
#include "hasa/kg/graph.h"
#include "hasa/model/language_model_config.h"

namespace hasa {

struct LanguageModel;

/// A frozen language model's embeddings of a graph's texts: unit vectors, computed once.
struct TextEmbeddings {
  torch::Tensor entities;   // [entities, hidden] float32
  torch::Tensor relations;  // [2 relations, hidden] float32
  std::string made_from;    // records graph, weights, template and precision
  bool checked = false;     // read from a file with a checksum; files of older programs have none

  std::int64_t hidden() const { return entities.size(1); }
  /// Content hash of the graph, as made_from says; nothing where it does not.
  std::optional<std::uint64_t> graph() const;
  /// Says so there, where it says one already.
  void set_graph(std::uint64_t hash);

  void save(const std::filesystem::path& file) const;
  /// Throws data if the file is damaged or not a file of embeddings.
  static TextEmbeddings load(const std::filesystem::path& file);
  /// Everybody's become rank 0's.
  void share(Comm& comm);
};

/// Embeddings that hold for a part of a graph's texts: those of a graph from which it grew.
struct EarlierTexts {
  const TextEmbeddings& texts;
  std::uint64_t graph = 0;  // its content hash
};

/// Tokenises and encodes every entity and relation, with a progress bar. Tokens and embeddings are cached in
/// `graph_folder` for the next call with the same model and options. Errors in the options or the model are found
/// before anything is encoded. A stop signal ends it with Stopped, and the next call encodes the rest, also after a
/// kill. It waits for another process that is encoding the same texts.
///
/// Of a graph that has grown (kg/lineage.h) only new and changed texts are encoded, where `earlier`, or what the folder
/// still holds of a graph from which it grew, has the others. `earlier` must be of the same options; throws data when
/// it says that it is of another language model.
TextEmbeddings embed_texts(const Graph& graph, const std::filesystem::path& graph_folder, const TextConfig& text,
                           const LanguageModelConfig& config, const torch::Device& device,
                           const std::optional<EarlierTexts>& earlier = std::nullopt);

/// Throws data if the embeddings say that another language model made them.
void check_language_model(const TextEmbeddings& texts, const LanguageModel& model);

/// Puts what embed_texts makes of `from` beside `to`, whose texts are then not read again. Throws data where the two
/// have not the same texts under the same numbers; their triples may differ.
void copy_text_embeddings(const Graph& from, const std::filesystem::path& from_folder, const Graph& to,
                          const std::filesystem::path& to_folder, const TextConfig& text,
                          const LanguageModelConfig& config, const torch::Device& device);

}  // namespace hasa
