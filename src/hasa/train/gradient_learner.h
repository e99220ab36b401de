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
  /// Leaves the gradients with the parameters, or where its
  /// optimiser finds them. Does not fill the report's gradient norm.
  virtual StepReport backward(std::int64_t step) = 0;

  torch::Device device() const override { return parameters().front().tensor.device(); }
  StepReport step(std::int64_t number, double factor) final;
  NamedTensors state() final;
  void exchange_average() final;
  /// The optimiser, created on first use.
  Optimiser& optimiser();

 protected:
  explicit GradientLearner(const OptimiserConfig& config) : optimiser_config_(config) {}

  virtual std::unique_ptr<Optimiser> make_own_optimiser(const OptimiserConfig& config) {
    return make_optimiser(parameters(), config);
  }
  /// Called when the parameters have changed, by the optimiser or for those of the average.
  virtual void parameters_changed() {}
  /// Further checkpoint state, besides parameters and optimiser.
  virtual NamedTensors further_state() const { return {}; }

 private:
  OptimiserConfig optimiser_config_;
  std::unique_ptr<Optimiser> optimiser_;
  std::optional<WeightAverage> average_;
};

}  // namespace hasa
