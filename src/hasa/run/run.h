#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "hasa/kg/graph.h"
#include "hasa/run/run_description.h"

namespace hasa {

/// The folder of one training run:
///
///   run.json            format, program version, commit, hash of the graph and of the files that belong to the run
///   config.yaml         every option as it was resolved; changed afterwards only where a user adds epochs or
///                       the graph has grown
///   text.safetensors    what the frozen language model made of the texts, where it is frozen
///   last.safetensors    where training stands: model, optimiser, generators, position
///   previous.safetensors  where it stood a checkpoint before
///   best/               the model with the best validation MRR so far, model.safetensors; where the language model
///                       is trained, a folder that transformers opens
///   metrics.jsonl       a line for each epoch; a log for whoever is curious, from which nothing is computed
///   lock                held by the process that writes
///
/// config.yaml, text.safetensors and what is in best/ belong to the run: their hashes are checked when it is opened.
/// The checkpoints carry checksums of their own.
class Run {
 public:
  /// Whether the folder holds a run; false where one can be made. Throws config when it holds anything else.
  static bool is_taken(const std::filesystem::path& folder);
  /// Makes the folder, which must be free. Throws io when it holds a run by now: another process has just started it.
  static Run create(const std::filesystem::path& folder, const std::string& config_yaml, const Graph& graph);
  /// Throws data if the folder is not a run, is of another format, or one of its files has changed.
  static Run open(const std::filesystem::path& folder);
  static bool is_run(const std::filesystem::path& folder);

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path operator/(const char* name) const { return folder_ / name; }
  const std::string& config_yaml() const { return config_yaml_; }
  /// Whether a best model has been saved.
  bool has_model() const;

  /// Files that belong to the run: calls write() with an empty folder, and moves each file that it leaves there to
  /// `place` (kBestFolder, or kHere), by one rename. A process that is killed at any moment leaves the old file or the
  /// new one, and both are known. The caller holds the run's lock.
  void put(const char* place, const std::function<void(const std::filesystem::path& folder)>& write) const;
  /// Adds the missing hashes to a run of the format without them. The caller holds its lock.
  void upgrade() const;
  /// The caller holds the run's lock.
  void replace_config(const std::string& config_yaml);

  /// Content hash of the graph it is trained on.
  std::uint64_t graph_hash() const { return graph_hash_; }
  /// Of the graphs that this one grew from and that the run was trained on before, oldest first.
  const std::vector<std::uint64_t>& earlier_graphs() const { return earlier_graphs_; }
  /// What the graph has beyond the one the run is trained on. Throws data unless it is that one or has grown from it.
  Growth check_graph(const Graph& graph) const;
  /// From now on the run is trained on this graph, which has grown from its own; its files may still be of the earlier
  /// one, as they say themselves. The caller holds the run's lock.
  void move_to(const Graph& graph);

  static constexpr const char* kConfig = "config.yaml";
  static constexpr const char* kHere = "";
  static constexpr const char* kTexts = "text.safetensors";
  static constexpr const char* kLast = "last.safetensors";
  static constexpr const char* kPrevious = "previous.safetensors";
  static constexpr const char* kBestFolder = "best";
  static constexpr const char* kBest = "best/model.safetensors";
  /// For families whose model is not made of tensors.
  static constexpr const char* kBestWords = "best/model.json";
  static constexpr const char* kMetrics = "metrics.jsonl";

 private:
  void check_files() const;
  /// The name of a missing or changed file; "" if all are intact.
  std::string first_changed(const RunDescription& description) const;
  void put_staged(const std::filesystem::path& staged, const std::filesystem::path& place) const;

  std::filesystem::path folder_;
  std::string config_yaml_;
  std::uint64_t graph_hash_ = 0;
  std::vector<std::uint64_t> earlier_graphs_;
};

/// Held while a process writes to a run. Throws io if
/// another process holds it. Partial files of a killed writer are removed.
class RunLock {
 public:
  explicit RunLock(const std::filesystem::path& run);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace hasa
