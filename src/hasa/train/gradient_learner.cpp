#include "hasa/train/gradient_learner.h"

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
  if (!comm_.alone()) reduce_gradients();
  report.gradient_norm = optimiser().step(factor);
  parameters_changed();
  if (WeightAverage* kept = average()) kept->add();
  return report;
}

void GradientLearner::reduce_gradients() const {
  const Region region("reduction");
  std::vector<torch::Tensor> gradients;
  for (const Parameter& parameter : parameters()) {
    const torch::Tensor& gradient = parameter.tensor.grad();
    if (!gradient.defined()) continue;
    if (!comm_.first() && !in_parts(parameter)) gradient.zero_();
    gradients.push_back(gradient);
  }
  comm_.all_reduce(gradients);
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
