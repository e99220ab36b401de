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

/// What a step came to; tensors are still on the device.
struct StepReport {
  torch::Tensor loss;                  // []
  torch::Tensor gradient_norm;         // [] before clipping
  std::vector<torch::Tensor> metrics;  // [] each, in the order of Learner::metric_names()
  std::int64_t tokens = 0;             // that a language model read for it
  double flops = 0;                    // of its matrix products over them, forward and backward
};

/// What an epoch goes through.
struct Examples {
  std::int64_t count = 0;
  const char* name = "triples";  // or "queries"
};

/// What a user can do about a run that goes wrong, in words.
struct TrainAdvice {
  std::string memory;    // a step does not fit
  std::string numbers;   // the loss is no longer a number
  std::string vanished;  // the gradient has vanished; empty where zero gradients are normal
};

/// What is trained by gradient steps, as the trainer sees it. Steps are counted from the start of the run; which
/// examples a step takes, and every random choice, depends on the seed and the step (or on torch's generators), so
/// that a run can be resumed at any step.
class Learner {
 public:
  Learner() = default;
  Learner(const Learner&) = delete;
  Learner& operator=(const Learner&) = delete;
  virtual ~Learner() = default;

  virtual torch::Device device() const = 0;
  virtual Examples examples() const = 0;
  virtual TrainAdvice advice() const = 0;
  /// Further figures of a step, whose means over an epoch are logged under these names.
  virtual std::vector<std::string> metric_names() const { return {}; }

  /// Takes a step: gradients, and the change they make at `factor` times the learning rates.
  virtual StepReport step(std::int64_t number, double factor) = 0;

  /// Everything that a later process needs in order to go on; its tensors are filled from a checkpoint in place.
  virtual NamedTensors state() = 0;
  /// To be called when that has happened.
  virtual void loaded() = 0;

  /// Where the learner keeps an average of its weights: puts that in their place, for validation and saving, or the
  /// weights back. No step or state() in between.
  virtual void exchange_average() {}

  /// The model as it is now, for ranking.
  virtual std::unique_ptr<Scorer> scorer() const = 0;
  /// Writes the model into a run's folder of its best model, with some words about it.
  virtual void save_model(const std::filesystem::path& folder,
                          const std::map<std::string, std::string>& about) const = 0;
};

}  // namespace hasa
