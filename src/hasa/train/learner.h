#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "hasa/model/scorer.h"
#include "hasa/nn/named_tensor.h"

namespace hasa {

/// The outcome of a step; tensors stay on the device.
struct StepReport {
  torch::Tensor loss;                  // []
  torch::Tensor gradient_norm;         // [] before clipping
  std::vector<torch::Tensor> metrics;  // [] each, in the order of Learner::metric_names()
  std::int64_t tokens = 0;             // that a language model read for it
  double flops = 0;                    // FLOPs of its matrix products over them, forward and backward
};

/// The examples of an epoch.
struct Examples {
  std::int64_t count = 0;
  const char* name = "triples";  // or "queries"
};

/// Advice for a run that goes wrong.
struct TrainAdvice {
  std::string memory;    // a step does not fit
  std::string numbers;   // the loss is NaN or infinite
  std::string vanished;  // the gradient has vanished; empty where zero gradients are normal
};

/// A model trained by gradient steps, as the trainer sees it. Steps are counted from
/// the start of the run; a step's examples and random draws depend on the seed
/// and the step (or on torch's generators), so that a run can resume at any step.
class Learner {
 public:
  Learner() = default;
  Learner(const Learner&) = delete;
  Learner& operator=(const Learner&) = delete;
  virtual ~Learner() = default;

  virtual torch::Device device() const = 0;
  virtual Examples examples() const = 0;
  virtual TrainAdvice advice() const = 0;
  /// Names of further metrics of a step, whose means over an epoch are logged.
  virtual std::vector<std::string> metric_names() const { return {}; }

  /// Takes a step: gradients, and an update at `factor` times the learning rates.
  virtual StepReport step(std::int64_t number, double factor) = 0;

  /// Everything a later process needs to resume; its tensors are filled from a checkpoint in place.
  virtual NamedTensors state() = 0;
  /// Called after that has happened.
  virtual void loaded() = 0;

  /// Where the learner keeps an average of its weights: puts that in their place, for validation and saving, or the
  /// weights back. No step or state() in between.
  virtual void exchange_average() {}

  /// The current model, for ranking.
  virtual std::unique_ptr<Scorer> scorer() const = 0;
  /// Writes the model into a run's best/ folder, with metadata.
  virtual void save_model(const std::filesystem::path& folder,
                          const std::map<std::string, std::string>& about) const = 0;
  /// Called on the other processes while rank 0 saves the model: where they have parts of it, they give them.
  virtual void help_save_model() const {}
};

}  // namespace hasa
