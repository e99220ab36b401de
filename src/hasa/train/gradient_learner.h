#pragma once

#include <memory>
#include <optional>

#include "hasa/dist/comm.h"
#include "hasa/nn/parameter.h"
#include "hasa/train/gradient_reduction.h"
#include "hasa/train/learner.h"
#include "hasa/train/optimiser.h"
#include "hasa/train/weight_average.h"

namespace hasa {

/// A learner whose step is a backward pass followed by an optimiser: what those that have parameters share. Where
/// several processes train together each has all parameters, and the gradient is made the same for all of them in
/// between.
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
  explicit GradientLearner(const OptimiserConfig& config, Comm& comm = one_process())
      : optimiser_config_(config), comm_(comm) {}

  Comm& comm() const { return comm_; }
  /// Of several processes: whether backward() leaves a part of the parameter's gradient on each, which add up to the
  /// whole. Else each has the whole, and rank 0's counts.
  virtual bool in_parts(const Parameter&) const { return true; }
  /// To be called in backward() before the last pass that adds to gradients in parts, when the others are complete:
  /// processes then exchange gradients while it runs.
  void last_pass_begins();

  virtual std::unique_ptr<Optimiser> make_own_optimiser(const OptimiserConfig& config) {
    return make_optimiser(parameters(), config);
  }
  /// Called when the parameters have changed, by the optimiser or for those of the average.
  virtual void parameters_changed() {}
  /// What a checkpoint keeps beside parameters and optimiser.
  virtual NamedTensors further_state() const { return {}; }

 private:
  GradientReduction& reduction();
  /// Made when it is first asked for; null where the config wants none.
  WeightAverage* average();

  OptimiserConfig optimiser_config_;
  Comm& comm_;
  std::unique_ptr<GradientReduction> reduction_;  // of several processes, made at the first step
  std::unique_ptr<Optimiser> optimiser_;
  std::optional<WeightAverage> average_;
};

}  // namespace hasa
