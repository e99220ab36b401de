#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

#include "hasa/kg/graph.h"
#include "hasa/model/facts.h"
#include "hasa/model/scorer.h"
#include "hasa/model/text_reader.h"
#include "hasa/run/run.h"
#include "hasa/serve/known_links.h"
#include "hasa/serve/live_graph.h"
#include "hasa/serve/lookup.h"

namespace hasa {

class Calibration;
class EntityIndex;
class OrderedColumns;
struct RunConfig;
struct TrainedRun;

struct ServeOptions {
  std::string graph;   // stands in for the run's own, where it has been moved
  std::string device;  // stands in for the run's own: auto, cpu, cuda or cuda:N
  /// write: changes are taken, and no other process takes any. read: those made so far are seen.
  Journal::Access live = Journal::Access::read;
};

/// A trained run with everything that answering takes: its graph, model and text reader, the links that are known, the
/// changes made since. What program, server and Python open. All of it may be used from several threads.
class ServedRun {
 public:
  static std::unique_ptr<ServedRun> open(const std::filesystem::path& run, const ServeOptions& options = {});
  ~ServedRun();
  ServedRun(const ServedRun&) = delete;
  ServedRun& operator=(const ServedRun&) = delete;

  const Run& run() const { return run_; }
  const RunConfig& config() const { return *config_; }  // job/run_config.h
  const ModelFacts& facts() const { return facts_; }
  const Graph& graph() const { return *graph_; }
  const KnownLinks& known() const { return known_; }
  const Scorer& scorer() const { return *scorer_; }
  /// Null where the model has no vectors of entities.
  const VectorScorer* vectors() const { return vectors_; }
  torch::Device device() const { return scorer_->device(); }
  /// VectorScorer::scores_from, with the same bits: the entities' vectors are rearranged once a second call shows that it
  /// pays, so that a few questions take a fraction of the time. Holds as much memory again, so not of a great many.
  torch::Tensor scores_from(const torch::Tensor& query_vectors) const;

  /// What hasa index has made of the model as it is; null where it has not, and on a GPU, where comparing every entity
  /// is quick.
  const EntityIndex* index() const { return index_.get(); }

  /// Whether text that training never saw can be asked about.
  bool reads_text() const { return reads_text_; }
  /// Throws Refusal unreadable where the run reads no text. The language model is opened when it is first needed.
  const TextReader& reader() const;

  /// The changes, and with them the graph as it stands: take one state for each request and stay with it.
  LiveGraph& live() const { return *live_; }
  std::shared_ptr<const LiveState> state() const { return live_->state(); }
  const Lookup& lookup() const { return lookup_; }

  /// What makes probabilities of scores: what the run's folder has, or null, and then answers come without.
  std::shared_ptr<const Calibration> calibration() const;
  /// Takes effect with the next question. From any thread.
  void calibrate(std::shared_ptr<const Calibration> calibration);
  /// Where it has none yet: fits one to the validation split, unless that takes long, and keeps it in the folder.
  void calibrate_if_cheap();

  static constexpr const char* kJournal = "live.journal";

 private:
  ServedRun(Run run, TrainedRun trained, const ServeOptions& options);

  Run run_;
  std::unique_ptr<const RunConfig> config_;
  ModelFacts facts_;
  std::unique_ptr<Graph> graph_;
  std::filesystem::path graph_folder_;
  std::unique_ptr<Scorer> scorer_;
  const VectorScorer* vectors_;
  mutable std::atomic<int> scorings_ = 0;  // up to 2
  mutable std::once_flag columns_made_;
  mutable std::unique_ptr<const OrderedColumns> columns_;
  std::shared_ptr<const EntityIndex> index_;
  bool reads_text_;
  KnownLinks known_;
  Lookup lookup_;
  mutable std::once_flag reader_opened_;
  mutable std::unique_ptr<TextReader> reader_;
  mutable std::mutex calibration_mutex_;
  std::shared_ptr<const Calibration> calibration_;
  std::unique_ptr<LiveGraph> live_;
};

}  // namespace hasa
