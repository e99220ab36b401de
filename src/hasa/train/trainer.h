#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hasa/base/progress.h"
#include "hasa/eval/metrics.h"
#include "hasa/kg/graph.h"
#include "hasa/kg/known_answers.h"
#include "hasa/model/hasa_model.h"
#include "hasa/run/metrics_log.h"
#include "hasa/run/run.h"
#include "hasa/train/adamw.h"
#include "hasa/train/stop_signal.h"
#include "hasa/train/train_config.h"
#include "hasa/train/train_state.h"

namespace hasa {

enum class TrainEnd { finished, early, interrupted };

/// Trains a model on a graph's training triples, both directions, all entities as candidates, and keeps a
/// run folder: a checkpoint after each epoch and when a signal asks to stop, the best model by filtered
/// validation MRR, and a line of metrics for each epoch. Continues from the checkpoint if there is one. The caller
/// holds the run's lock.
class Trainer {
 public:
  /// The graph and the run must outlive the trainer.
  Trainer(const TrainConfig& config, const Graph& graph, const TextEmbeddings& texts, const Run& run);

  /// Throws numeric when the loss is no longer a number; the last checkpoint stays.
  TrainEnd train();

  const TrainState& state() const { return state_; }

 private:
  std::int64_t steps_per_epoch() const;
  /// Returns false when a signal asked to stop.
  bool train_epoch(Progress& progress, const StopSignal& stop);
  /// One step on the given rows of triples_; the loss, still on the device.
  torch::Tensor step(std::span<const std::int64_t> rows);
  void end_epoch(MetricsLog& log);
  bool patience_is_over() const;
  void save() const;

  TrainConfig config_;
  const Graph& graph_;
  const Run& run_;
  std::vector<Triple> triples_;  // training triples, then their inverses in the same order
  KnownAnswers known_training_;
  KnownAnswers known_all_;
  HasaModel model_;
  AdamW optimiser_;
  TrainState state_;
};

}  // namespace hasa
