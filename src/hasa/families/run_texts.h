#pragma once

#include <filesystem>

#include "hasa/input/text_config.h"
#include "hasa/kg/graph.h"
#include "hasa/model/language_model_config.h"
#include "hasa/model/text_embeddings.h"
#include "hasa/run/run.h"

namespace hasa {

// The embeddings of texts that a run over a frozen language model keeps (Run::kTexts).

/// As they lie in the run.
TextEmbeddings run_texts(const Run& run);

/// What it takes to make them, or the rest of them, for a graph.
struct TextsOf {
  const Graph& graph;
  const std::filesystem::path& graph_folder;
  const TextConfig& text;
  const LanguageModelConfig& language_model;
  torch::Device device = torch::kCPU;
};

/// The run's, as they fit the graph: where that has grown since, texts that are new or have changed are encoded, or
/// taken from what is cached with the graph. Without any such texts no language model is needed.
TextEmbeddings texts_of_run(const TextsOf& wanted, const Run& run);
/// The same for training, where `run` may be null or not keep them yet, and then all are made.
TextEmbeddings texts_to_train_on(const TextsOf& wanted, const Run* run);

/// Leaves them in the run, unless those of this graph are there. The caller holds its lock.
void keep_texts(const TextsOf& wanted, const Run& run);

}  // namespace hasa
