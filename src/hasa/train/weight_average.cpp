#include "hasa/train/weight_average.h"

#include <algorithm>

#include "hasa/base/error.h"

namespace hasa {

WeightAverage::WeightAverage(const Parameters& parameters, double decay)
    : decay_(decay), steps_(torch::zeros({1}, torch::kInt64)) {
  for (const Parameter& each : parameters) {
    if (each.kind == ParameterKind::language_model && !each.tensor.requires_grad()) continue;
    weights_.push_back({each.name, each.tensor, each.rows, each.whole_rows});
    // The first step replaces it; rows that a grown graph adds later begin like this.
    averages_.push_back(each.tensor.detach().to(torch::kFloat32, /*non_blocking=*/false, /*copy=*/true));
  }
}

void WeightAverage::add() {
  HASA_ASSERT(held_.empty());
  const torch::NoGradGuard no_grad;
  steps_ += 1;
  const auto steps = static_cast<double>(steps_taken());
  std::vector<torch::Tensor> now;
  for (const NamedTensor& weight : weights_) now.push_back(weight.tensor.to(torch::kFloat32));
  torch::_foreach_lerp_(averages_, now, 1 - std::min(decay_, (steps - 1) / steps));
}

void WeightAverage::exchange() {
  const torch::NoGradGuard no_grad;
  if (steps_taken() == 0) return;
  const bool back = !held_.empty();
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    if (!back) held_.push_back(weights_[i].tensor.clone());
    weights_[i].tensor.copy_(back ? held_[i] : averages_[i]);
  }
  if (back) held_.clear();
}

NamedTensors WeightAverage::state() const {
  HASA_ASSERT(held_.empty());
  NamedTensors list;
  for (std::size_t i = 0; i < weights_.size(); ++i)
    list.push_back({weights_[i].name, averages_[i], weights_[i].rows, weights_[i].whole_rows});
  list.push_back({"steps", steps_});
  return list;
}

}  // namespace hasa
