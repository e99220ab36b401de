#include "hasa/train/adagrad.h"

#include "hasa/ops/table/adagrad_step.h"
#include "hasa/ops/table/row_rule.h"

namespace hasa {

Adagrad::Adagrad(const Parameters& parameters, const OptimiserConfig& config) : config_(config) {
  for (const Parameter& p : parameters) {
    if (!p.tensor.requires_grad()) continue;
    parameters_.push_back({p.name, p.tensor, p.rows});
    const auto options = p.tensor.options().requires_grad(false);
    const bool by_row = config.kind == OptimiserKind::row_adagrad;
    squares_.push_back(torch::zeros(by_row ? torch::IntArrayRef{p.tensor.size(0), 1} : p.tensor.sizes(), options));
  }
}

torch::Tensor Adagrad::step(double factor) {
  const torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> gradients;
  for (const NamedTensor& p : parameters_) {
    if (p.tensor.grad().defined()) gradients.push_back(p.tensor.grad());
  }
  if (gradients.empty()) return torch::zeros({});
  torch::Tensor length = clip_gradients(gradients, config_.clip);
  const double rate = config_.lr * factor;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const torch::Tensor& x = parameters_[i].tensor;
    const torch::Tensor gradient = x.grad();
    if (!gradient.defined()) continue;
    if (config_.kind == OptimiserKind::row_adagrad) {
      squares_[i].add_(gradient.square().mean(1, /*keepdim=*/true));
      if (config_.weight_decay > 0) x.mul_(1 - rate * config_.weight_decay);
      x.addcdiv_(gradient, squares_[i].sqrt().add_(kRuleEpsilon), -rate);
    } else {
      adagrad_step(x, gradient, squares_[i], rate, config_.weight_decay);
    }
    x.mutable_grad() = torch::Tensor();
  }
  return length;
}

NamedTensors Adagrad::state() const {
  NamedTensors list;
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    list.push_back({"square." + parameters_[i].name, squares_[i], parameters_[i].rows});
  return list;
}

}  // namespace hasa
