#include "hasa/train/gradient_learner.h"

#include <utility>
#include <vector>

#include "hasa/ops/core/region.h"

namespace hasa {

Optimiser& GradientLearner::optimiser() {
  if (!optimiser_) optimiser_ = make_own_optimiser(optimiser_config_);
  return *optimiser_;
}

WeightAverage* GradientLearner::average() {
  if (optimiser_config_.average == 0) return nullptr;
  if (!average_) average_.emplace(parameters(), optimiser_config_.average);
  return &*average_;
}

StepReport GradientLearner::step(std::int64_t number, double factor) {
  StepReport report = backward(number);
  if (!comm_.alone()) {
    const Region region("reduction");
    reduction().finish();
  }
  report.gradient_norm = optimiser().step(factor);
  parameters_changed();
  if (WeightAverage* kept = average()) kept->add();
  return report;
}

GradientReduction& GradientLearner::reduction() {
  if (!reduction_) {
    std::vector<ReducedParameter> reduced;
    for (const Parameter& each : parameters()) reduced.push_back({each.tensor, in_parts(each)});
    reduction_ = std::make_unique<GradientReduction>(std::move(reduced), comm_);
  }
  return *reduction_;
}

void GradientLearner::last_pass_begins() {
  if (!comm_.alone()) reduction().last_pass_begins();
}

void GradientLearner::exchange_average() {
  if (WeightAverage* kept = average()) {
    kept->exchange();
    parameters_changed();
  }
}

NamedTensors GradientLearner::state() {
  NamedTensors tensors;
  append(tensors, "model", named(parameters()));
  append(tensors, "optimiser", optimiser().state());
  append(tensors, "learner", further_state());
  if (const WeightAverage* kept = average()) append(tensors, "average", kept->state());
  return tensors;
}

}  // namespace hasa
