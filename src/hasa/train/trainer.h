#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "hasa/base/progress.h"
#include "hasa/base/stop_signal.h"
#include "hasa/dist/comm.h"
#include "hasa/eval/metrics.h"
#include "hasa/eval/ranked_query.h"
#include "hasa/kg/graph.h"
#include "hasa/kg/known_answers.h"
#include "hasa/run/metrics_log.h"
#include "hasa/run/run.h"
#include "hasa/train/learner.h"
#include "hasa/train/optimiser.h"
#include "hasa/train/schedule_config.h"
#include "hasa/train/train_state.h"

namespace hasa {

enum class TrainEnd { finished, early, interrupted };

/// Called after each epoch, when its line of metrics has been written; returning false stops the run like a signal.
using OnEpoch = std::function<bool(const EpochRecord&)>;

/// Opens the run's best model so far over the trainer's graph.
using OpenBest = std::function<std::unique_ptr<Scorer>()>;

/// Trains on a graph's training triples, both directions, and writes a run folder: checkpoints
/// after epochs and on a stop signal, the best model by filtered validation MRR,
/// and a line of metrics per epoch. Resumes from the checkpoint if there is
/// one, or from the previous one if the last is damaged. From the checkpoint of a graph from which this one has grown
/// it goes on after the last whole epoch, with new rows as they were drawn. The caller holds the run's lock.
class Trainer {
 public:
  /// References must outlive the trainer. `rates` says how the learning rates rise and fall. Of processes that train
  /// together rank 0 keeps the run folder; the others have none.
  Trainer(const ScheduleConfig& config, const RateSchedule& rates, const Graph& graph, Learner& learner, const Run& run)
      : Trainer(config, rates, graph, learner, &run, one_process()) {}
  Trainer(const ScheduleConfig& config, const RateSchedule& rates, const Graph& graph, Learner& learner, const Run* run,
          Comm& comm);

  /// Throws numeric if the loss is NaN or infinite or the gradient has vanished, unavailable if a step does not
  /// fit the GPU's memory; the last checkpoint stays. `open_best` is asked when the graph has grown: what was best on
  /// the earlier one is measured again, and stays the best model until an epoch is better. Without it any epoch is.
  TrainEnd train(const OnEpoch& on_epoch = nullptr, const OpenBest& open_best = nullptr);

  const TrainState& state() const { return state_; }

 private:
  std::int64_t steps_per_epoch() const;
  bool resume(const OpenBest& open_best);
  /// Whether a checkpoint is of a graph from which this one has grown.
  bool is_of_earlier_graph(const TrainState& state) const;
  /// Makes a position on the earlier graph one on this.
  void begin_on_grown_graph(const OpenBest& open_best);
  /// Every process goes on from where rank 0 stands.
  void share_state();
  /// Every process's rows of sharded tensors, from the checkpoint that rank 0 resumed from.
  void share_shards(const NamedTensors& tensors);
  /// Returns false when a signal asked to stop.
  bool train_epoch(Progress& progress, const StopSignal& stop);
  StepReport step();
  void add_up(const StepReport& report);
  /// Fetches the sums accumulated on the device and checks that training goes well.
  void look(const StepReport& report, Progress& progress);
  EpochRecord end_epoch(MetricsLog* log);
  std::vector<RankedQuery> validate(const Scorer& scorer, Comm& comm) const;
  void keep_if_best(const std::optional<Scores>& valid);
  bool patience_is_over() const;
  void save() const;
  NamedTensors checkpoint_tensors() const;

  ScheduleConfig config_;
  RateSchedule rates_;
  const Graph& graph_;
  Learner& learner_;
  const Run* run_;  // null but on rank 0
  Comm& comm_;
  torch::Device device_;
  Examples examples_;  // of an epoch
  KnownAnswers known_all_;
  TrainState state_;
  std::filesystem::path resumed_from_;  // of rank 0; empty: from the beginning
  std::vector<std::string> metric_names_;
  torch::Tensor sums_;           // [1 + metrics] double on the device: loss and metrics of the epoch's steps
  torch::Tensor gradient_norm_;  // [] of the last step
  int vanished_ = 0;             // looks in a row that found no gradient
  // Of several processes: bytes that this one gave to the others in the epoch's steps, and how many of them it took.
  std::int64_t exchanged_bytes_ = 0, steps_here_ = 0;
};

}  // namespace hasa
