#include "hasa/train/adamw.h"

#include <utility>

namespace hasa {
namespace {

constexpr double kBeta1 = 0.9;
constexpr double kBeta2 = 0.999;
constexpr double kEpsilon = 1e-8;

}  // namespace

AdamW::AdamW(const Parameters& parameters, const OptimiserConfig& config) : config_(config) {
  std::vector<std::pair<ParameterKind, Group>> kinds = {
      {ParameterKind::language_model, {"language_model", config.language_model_lr, config.weight_decay}},
      {ParameterKind::new_layer, {"new_layer", config.lr, config.weight_decay}},
      {ParameterKind::scale, {"scale", config.scale_lr, 0}}};
  for (auto& [kind, group] : kinds) {
    for (const Parameter& p : parameters) {
      const bool like_a_layer = p.kind == ParameterKind::scale && config.scale_lr == 0;
      if ((like_a_layer ? ParameterKind::new_layer : p.kind) != kind || !p.tensor.requires_grad()) continue;
      group.parameters.push_back({p.name, p.tensor, p.rows});
      group.means.push_back(torch::zeros_like(p.tensor));
      group.squares.push_back(torch::zeros_like(p.tensor));
    }
    if (group.parameters.empty()) continue;
    const auto device = torch::TensorOptions(group.parameters.front().tensor.device());
    group.steps = torch::zeros({static_cast<std::int64_t>(group.parameters.size())}, device);
    groups_.push_back(std::move(group));
  }
}

torch::Tensor AdamW::step(double factor) {
  const torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> gradients;
  for (const Group& group : groups_) {
    for (const NamedTensor& p : group.parameters) {
      if (p.tensor.grad().defined()) gradients.push_back(p.tensor.grad());
    }
  }
  if (gradients.empty()) return torch::zeros({});
  torch::Tensor length = clip_gradients(gradients, config_.clip);
  for (Group& group : groups_) apply(group, factor);
  return length;
}

void AdamW::apply(Group& group, double factor) const {
  std::vector<torch::Tensor> weights, gradients, means, squares, steps;
  for (std::size_t i = 0; i < group.parameters.size(); ++i) {
    const torch::Tensor& gradient = group.parameters[i].tensor.grad();
    if (!gradient.defined()) continue;
    weights.push_back(group.parameters[i].tensor);
    gradients.push_back(gradient);
    means.push_back(group.means[i]);
    squares.push_back(group.squares[i]);
    steps.push_back(group.steps[static_cast<std::int64_t>(i)]);
  }
  if (weights.empty()) return;
  torch::_foreach_add_(steps, 1);
  torch::_fused_adamw_(weights, gradients, means, squares, /*max_exp_avg_sqs=*/{}, steps, group.rate * factor, kBeta1,
                       kBeta2, group.decay, kEpsilon, /*amsgrad=*/false, /*maximize=*/false);
  for (const NamedTensor& p : group.parameters) p.tensor.mutable_grad() = torch::Tensor();
}

NamedTensors AdamW::state() const {
  NamedTensors list;
  for (const Group& group : groups_) {
    for (std::size_t i = 0; i < group.parameters.size(); ++i) {
      const NamedTensor& p = group.parameters[i];
      list.push_back({"mean." + p.name, group.means[i], p.rows});
      list.push_back({"square." + p.name, group.squares[i], p.rows});
    }
    list.push_back({"steps." + group.name, group.steps});
  }
  return list;
}

}  // namespace hasa
