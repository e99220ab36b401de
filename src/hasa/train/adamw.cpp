#include "hasa/train/adamw.h"

#include <algorithm>
#include <utility>

namespace hasa {
namespace {

constexpr double kBeta1 = 0.9;
constexpr double kBeta2 = 0.999;
constexpr double kEpsilon = 1e-8;

/// Scales the gradients down together where their common length is over `limit`; no value leaves the device.
void clip_gradients(const std::vector<torch::Tensor>& gradients, double limit) {
  const torch::Tensor length = torch::stack(torch::_foreach_norm(gradients)).norm();
  torch::_foreach_mul_(gradients, (limit / (length + 1e-6)).clamp_max(1.0));
}

}  // namespace

double learning_rate(const OptimiserConfig& config, std::int64_t step, std::int64_t total) {
  if (step < config.warmup_steps)
    return config.lr * static_cast<double>(step + 1) / static_cast<double>(config.warmup_steps);
  const double left =
      static_cast<double>(total - step) / static_cast<double>(std::max<std::int64_t>(1, total - config.warmup_steps));
  return config.lr * std::clamp(left, 0.0, 1.0);
}

AdamW::AdamW(NamedTensors parameters, const OptimiserConfig& config)
    : parameters_(std::move(parameters)), config_(config) {
  for (const NamedTensor& p : parameters_) {
    means_.push_back(torch::zeros_like(p.tensor));
    squares_.push_back(torch::zeros_like(p.tensor));
  }
  const torch::Device device = parameters_.empty() ? torch::Device(torch::kCPU) : parameters_.front().tensor.device();
  steps_ = torch::zeros({static_cast<std::int64_t>(parameters_.size())}, torch::TensorOptions(device));
}

void AdamW::step(double rate) {
  const torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> weights, gradients, means, squares, steps;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const torch::Tensor& gradient = parameters_[i].tensor.grad();
    if (!gradient.defined()) continue;
    weights.push_back(parameters_[i].tensor);
    gradients.push_back(gradient);
    means.push_back(means_[i]);
    squares.push_back(squares_[i]);
    steps.push_back(steps_[static_cast<std::int64_t>(i)]);
  }
  if (weights.empty()) return;
  if (config_.clip > 0) clip_gradients(gradients, config_.clip);
  torch::_foreach_add_(steps, 1);
  torch::_fused_adamw_(weights, gradients, means, squares, /*max_exp_avg_sqs=*/{}, steps, rate, kBeta1, kBeta2,
                       config_.weight_decay, kEpsilon, /*amsgrad=*/false, /*maximize=*/false);
  for (const NamedTensor& p : parameters_) p.tensor.mutable_grad() = torch::Tensor();
}

NamedTensors AdamW::state() const {
  NamedTensors list;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    list.push_back({"mean." + parameters_[i].name, means_[i]});
    list.push_back({"square." + parameters_[i].name, squares_[i]});
  }
  list.push_back({"steps", steps_});
  return list;
}

}  // namespace hasa
