#pragma once

#include <memory>
#include <optional>

#include "hasa/nn/parameter.h"
#include "hasa/train/learner.h"
#include "hasa/train/optimiser.h"
#include "hasa/train/weight_average.h"

namespace hasa {

/// A learner whose step is a backward pass followed by an optimiser: what those that have parameters share.
class GradientLearner : public Learner {
 public:
  virtual Parameters parameters() const = 0;
  /// Leaves the gradients with the parameters, or where its optimiser finds them. The report's gradient norm is not
  /// its to fill.
  virtual StepReport backward(std::int64_t step) = 0;

  torch::Device device() const override { return parameters().front().tensor.device(); }
  StepReport step(std::int64_t number, double factor) final;
  NamedTensors state() final;
  void exchange_average() final;
  /// What applies the gradients; made when it is first asked for.
  Optimiser& optimiser();

 protected:
  explicit GradientLearner(const OptimiserConfig& config) : optimiser_config_(config) {}

  virtual std::unique_ptr<Optimiser> make_own_optimiser(const OptimiserConfig& config) {
    return make_optimiser(parameters(), config);
  }
  /// Called when the parameters have changed, by the optimiser or for those of the average.
  virtual void parameters_changed() {}
  /// What a checkpoint keeps beside parameters and optimiser.
  virtual NamedTensors further_state() const { return {}; }

 private:
  /// Made when it is first asked for; null where the config wants none.
  WeightAverage* average();

  OptimiserConfig optimiser_config_;
  std::unique_ptr<Optimiser> optimiser_;
  std::optional<WeightAverage> average_;
};

}  // namespace hasa
