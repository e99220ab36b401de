#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "hasa/model/scorer.h"
#include "hasa/model/text_embeddings.h"
#include "hasa/nn/tensor_file.h"
#include "hasa/run/run_setup.h"

namespace hasa {

/// The folder of one training run:
///
///   run.json            format, program version, commit, hash of the graph
///   config.yaml         every option as it was resolved; never changed afterwards
///   text.safetensors    what the frozen language model made of the texts, where it is frozen
///   last.safetensors    where training stands: model, optimiser, generators, position
///   previous.safetensors  where it stood a checkpoint before
///   best/               the model with the best validation MRR so far, model.safetensors; where the language model
///                       is trained, a folder that transformers opens
///   metrics.jsonl       a line for each epoch
///   lock                held by the process that writes
class Run {
 public:
  /// Throws config when the folder holds a run already, or files of something else.
  static void check_free(const std::filesystem::path& folder);
  /// Makes the folder, which must be free.
  static Run create(const std::filesystem::path& folder, const std::string& config_yaml, const Graph& graph);
  /// Throws data when the folder is no run, or one written in another format.
  static Run open(const std::filesystem::path& folder);
  static bool is_run(const std::filesystem::path& folder);

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path operator/(const char* name) const { return folder_ / name; }
  const std::string& config_yaml() const { return config_yaml_; }
  RunSetup setup() const;

  /// Throws data when this is not the graph the run was trained on.
  void check_graph(const Graph& graph) const;

  static constexpr const char* kTexts = "text.safetensors";
  static constexpr const char* kLast = "last.safetensors";
  static constexpr const char* kPrevious = "previous.safetensors";
  static constexpr const char* kBestFolder = "best";
  static constexpr const char* kBest = "best/model.safetensors";
  static constexpr const char* kMetrics = "metrics.jsonl";

 private:
  std::filesystem::path folder_;
  std::string config_yaml_;
  std::uint64_t graph_hash_ = 0;
};

/// Held while a process writes to a run. Throws io when another one holds it. What a writer that was killed left half
/// written is removed.
class RunLock {
 public:
  explicit RunLock(const Run& run);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  int descriptor_;
};

/// The texts' embeddings of a run.
TextEmbeddings run_texts(const Run& run);

/// A run ready to be asked: its graph and its best model.
struct TrainedRun {
  Graph graph;
  std::unique_ptr<Scorer> scorer;
};

/// `graph_folder` stands in for the one in the run's config where it has been moved; `device` likewise. Where the
/// language model was trained every entity is read anew, with a progress bar.
TrainedRun open_trained(const Run& run, const std::string& graph_folder = "", const std::string& device = "");

}  // namespace hasa
