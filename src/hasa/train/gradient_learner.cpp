#include "hasa/train/gradient_learner.h"

namespace hasa {

Optimiser& GradientLearner::optimiser() {
  if (!optimiser_) optimiser_ = make_own_optimiser(optimiser_config_);
  return *optimiser_;
}

StepReport GradientLearner::step(std::int64_t number, double factor) {
  StepReport report = backward(number);
  report.gradient_norm = optimiser().step(factor);
  parameters_changed();
  return report;
}

NamedTensors GradientLearner::state() {
  NamedTensors tensors;
  append(tensors, "model", named(parameters()));
  append(tensors, "optimiser", optimiser().state());
  append(tensors, "learner", further_state());
  return tensors;
}

}  // namespace hasa
