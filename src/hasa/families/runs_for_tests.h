#pragma once

// A small training that the tests of this folder share; never included by the library.

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/record_function.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <memory>

#include "hasa/base/log.h"
#include "hasa/families/frozen/frozen_learner.h"
#include "hasa/kg/synthetic.h"
#include "hasa/ops/score/unit_rows.h"
#include "hasa/run/run.h"
#include "hasa/train/trainer.h"

namespace hasa::testing {

/// While it lives, tensors are computed by one thread (steps this small only lose by more, most of all on a busy
/// machine) and only warnings are logged.
class OneQuietThread {
 public:
  OneQuietThread() {
    at::set_num_threads(1);
    set_log_level(LogLevel::warning);
  }
  ~OneQuietThread() {
    at::set_num_threads(threads_before_);
    set_log_level(LogLevel::info);
  }
  OneQuietThread(const OneQuietThread&) = delete;
  OneQuietThread& operator=(const OneQuietThread&) = delete;

 private:
  int threads_before_ = at::get_num_threads();
};

inline Graph small_graph(double valid_share = 0.05) {
  SyntheticOptions options;
  options.entities = 60;
  options.relations = 3;
  options.triples = 400;
  options.groups = 6;
  options.noise = 0;
  options.texts = false;
  options.split.valid = valid_share;
  return synthetic_graph(options);
}

/// Unit vectors that say nothing of the graph.
inline TextEmbeddings made_up_texts(const Graph& graph, std::int64_t hidden = 12) {
  torch::manual_seed(77);
  return {unit_rows(torch::randn({graph.entities(), hidden})),
          unit_rows(torch::randn({graph.num_directed_relations(), hidden})), "made up"};
}

/// A family's options with the seed of a run.
template <class F>
struct Seeded : F {
  std::uint64_t seed = 1;
};

inline TrainContext context_of(const Graph& graph, std::uint64_t seed = 1) {
  return {.graph = graph, .graph_folder = {}, .device = torch::kCPU, .seed = seed};
}

inline Seeded<FrozenFamily> small_frozen() {
  Seeded<FrozenFamily> config;
  config.model.dim = 16;
  config.train.epochs = 3;
  config.train.batch = 64;
  config.optimiser.lr = 1e-2;
  return config;
}

/// A run of the frozen form from its seed.
struct FrozenTraining {
  FrozenTraining(const Seeded<FrozenFamily>& config, const Graph& graph, const TextEmbeddings& texts, const Run& run)
      : learner(seeded(config), texts, context_of(graph, config.seed)),
        trainer(config.train, config.optimiser, graph, learner, run) {}

  FrozenLearner learner;
  Trainer trainer;

 private:
  static const FrozenFamily& seeded(const Seeded<FrozenFamily>& config) {
    at::manual_seed(config.seed);
    return config;
  }
};

/// Sends SIGTERM to this process just before step `step` of those taken while it lives changes the weights,
/// counted from 1.
class InterruptAtStep {
 public:
  explicit InterruptAtStep(int step) {
    steps_left = step;
    handle_ = at::addGlobalCallback(at::RecordFunctionCallback(&on_call).scopes({at::RecordScope::FUNCTION}));
  }
  ~InterruptAtStep() { at::removeCallback(handle_); }
  InterruptAtStep(const InterruptAtStep&) = delete;
  InterruptAtStep& operator=(const InterruptAtStep&) = delete;

 private:
  static std::unique_ptr<at::ObserverContext> on_call(const at::RecordFunction& function) {
    if (std::strcmp(function.name(), "aten::_fused_adamw_") == 0 && --steps_left == 0) std::raise(SIGTERM);
    return nullptr;
  }
  inline static int steps_left = 0;
  at::CallbackHandle handle_;
};

}  // namespace hasa::testing
