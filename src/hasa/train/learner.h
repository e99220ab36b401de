#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "hasa/model/scorer.h"
#include "hasa/nn/parameter.h"
#include "hasa/train/optimiser.h"

namespace hasa {

/// What a step came to; tensors are still on the device.
struct StepReport {
  torch::Tensor loss;       // []
  torch::Tensor floored;    // [] share of queries at which HaSa's floor acted; undefined for other losses
  std::int64_t tokens = 0;  // that the language model read for it
  double flops = 0;         // of its matrix products over them, forward and backward
};

/// What a user can do about a training that goes wrong, in words.
struct TrainAdvice {
  std::string memory;    // a step does not fit
  std::string numbers;   // the loss is no longer a number
  std::string vanished;  // the gradient has vanished; empty where a step without one is nothing to worry about
};

/// What is trained and how a step of it goes, as the trainer sees it. Steps are counted from the start of training;
/// which triples a step takes, and every random choice, depends on the seed and the step (or on torch's generators),
/// so that a training can be taken up at any step.
class Learner {
 public:
  Learner() = default;
  Learner(const Learner&) = delete;
  Learner& operator=(const Learner&) = delete;
  virtual ~Learner() = default;

  /// How many examples an epoch goes through, and what they are: directed triples, or distinct queries.
  virtual std::int64_t examples() const = 0;
  virtual const char* examples_name() const { return "triples"; }
  virtual TrainAdvice advice() const = 0;
  virtual Parameters parameters() const = 0;
  /// What changes the parameters by the gradients that backward() leaves. The learner must outlive it.
  virtual std::unique_ptr<Optimiser> optimiser(const OptimiserConfig& config) {
    return make_optimiser(parameters(), config);
  }
  /// The loss of a step. Its gradients are with the parameters afterwards.
  virtual StepReport backward(std::int64_t step) = 0;
  /// To be called when an optimiser has changed the parameters.
  virtual void parameters_changed() = 0;

  /// What else a later process needs in order to go on.
  virtual NamedTensors state() const = 0;
  /// To be called when parameters and state have been filled from a checkpoint.
  virtual void loaded() = 0;

  /// The cosine's learned factor, 1 without.
  virtual double scale() const = 0;
  /// The model as it is now, for ranking.
  virtual std::unique_ptr<Scorer> scorer() const = 0;
  /// Writes the model into a run's folder of its best model, with some words about it.
  virtual void save_model(const std::filesystem::path& folder,
                          const std::map<std::string, std::string>& about) const = 0;
};

}  // namespace hasa
