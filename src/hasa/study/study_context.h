#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "hasa/base/stop_signal.h"
#include "hasa/job/run_config.h"
#include "hasa/kg/graph.h"

namespace hasa {

/// tiny: what the tests run, seconds. quick: minutes on a CPU. full: the paper's graphs, on a GPU.
enum class StudySize : std::uint8_t { tiny, quick, full };
inline EnumNames<StudySize> names_of(StudySize) {
  return {{StudySize::tiny, "tiny"}, {StudySize::quick, "quick"}, {StudySize::full, "full"}};
}

struct StudySettings {
  std::filesystem::path out;
  StudySize size = StudySize::full;
  /// What hasa import reads (wordnet:animal, synthetic:300:1500, a benchmark folder) or has written; empty: a made-up
  /// graph, WordNet's animals, or graphs/WN18RR and graphs/FB15k-237, by size.
  std::vector<std::string> graphs;
  std::string device = "auto";
};

struct StudyGraph {
  std::string name;  // "WN18RR"; "animal" of wordnet:animal
  std::filesystem::path folder;

  Graph open() const { return Graph::open(folder); }
};

/// A finished training and what it came to.
struct StudyRun {
  std::filesystem::path folder;  // for Run::open
  double valid_mrr = 0;          // the best
  std::int64_t epochs = 0;       // trained
  double seconds = 0;            // of training; 0 where it is not known, for it was resumed
};

/// Where a study works: it gives graphs, trains runs and keeps finished pieces of work, all of them below one folder.
///
///   OUT/graphs/NAME/          graphs that were imported or derived, shared by all studies
///   OUT/runs/NAME-HASH/       trained runs, shared by all studies with the same config
///   OUT/STUDY/pieces/         results of pieces of work
///   OUT/STUDY/config.yaml, result.json, figures, tables
///
/// Everything here throws Stopped once a signal has asked to stop; the same call later goes on where it was.
class StudyContext {
 public:
  StudyContext(StudySettings settings, std::string study);

  const StudySettings& settings() const { return settings_; }
  /// Exists.
  std::filesystem::path folder() const { return settings_.out / study_; }

  /// The graphs to study, imported where they were not yet.
  std::vector<StudyGraph> graphs();
  /// One graph: the folder itself if hasa import wrote it, else imported once.
  StudyGraph graph_from(const std::string& source);
  /// A graph made from others, kept under its name: `make` is called where there is none of this name. The name says
  /// all that it depends on: "animal-hold-out-0.3-seed-1".
  StudyGraph derived_graph(const std::string& name, const std::function<Graph()>& make);

  /// A graph's part in the `made_from` of a piece.
  static std::string fingerprint(const Graph& graph);

  /// What `compute` returned when it was last called for `name` with the same `made_from`: options, hashes of graphs
  /// and runs, all that the result depends on. Only numbers that survive JSON are kept.
  nlohmann::ordered_json piece(const std::string& name, const nlohmann::ordered_json& made_from,
                               const std::function<nlohmann::ordered_json()>& compute);

  /// Trains `config` in OUT/runs, or gives the run with exactly these options that is there; an interrupted one is
  /// resumed. The device of the settings is used. `name` is for people: "hasa-tau-2e-5-seed-1".
  StudyRun train(const std::string& name, RunConfig config);

  /// Between parts of work that take more than a moment.
  void stop_if_asked() const;

 private:
  StudySettings settings_;
  std::string study_;
  StopSignal stop_;
};

}  // namespace hasa
