#pragma once

// Helpers for the tests of operations on rows; never included by the library.

#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <vector>

namespace hasa::testing {

using Tensors = std::vector<torch::Tensor>;
using Operation = std::function<torch::Tensor(const Tensors&)>;

inline torch::Tensor in_double(const torch::Tensor& t) { return t.detach().to(torch::kCPU, torch::kFloat64); }

inline double largest(const torch::Tensor& t) { return t.numel() == 0 ? 0 : in_double(t).abs().max().item<double>(); }

inline double difference(const torch::Tensor& a, const torch::Tensor& b) {
  return largest(in_double(a) - in_double(b));
}

struct Passed {
  torch::Tensor out;
  Tensors grads;
};
/// The operation's value, and its gradients for a direction that is the same for every dtype and device.
inline Passed pass(const Operation& operation, const Tensors& inputs) {
  Tensors leaves;
  for (const torch::Tensor& t : inputs) leaves.push_back(t.detach().clone().requires_grad_());
  const torch::Tensor out = operation(leaves);
  torch::manual_seed(17);
  const torch::Tensor direction = torch::randn(out.sizes()).to(torch::kBFloat16);  // the same in each dtype
  return {out.detach(), torch::autograd::grad({out}, leaves, {direction.to(out.device(), out.scalar_type())})};
}

/// Inputs as they are, in double on the CPU: what a low precision is compared with.
inline Tensors doubles(const Tensors& inputs) {
  Tensors all;
  std::transform(inputs.begin(), inputs.end(), std::back_inserter(all), in_double);
  return all;
}

/// How far the gradients of double inputs are from differences of values along a random direction, at worst.
inline double gradient_error(const Operation& operation, const Tensors& inputs) {
  const Passed analytic = pass(operation, inputs);
  torch::manual_seed(17);
  const torch::Tensor direction = torch::randn(analytic.out.sizes()).to(torch::kBFloat16).to(torch::kFloat64);
  const double step = 1e-5;
  double worst = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const torch::Tensor away = torch::randn_like(inputs[i]);
    const auto value = [&](double h) {
      Tensors moved = inputs;
      moved[i] = inputs[i] + h * away;
      return (operation(moved) * direction).sum().item<double>();
    };
    const double expected = (value(step) - value(-step)) / (2 * step);
    const double got = (analytic.grads[i] * away).sum().item<double>();
    worst = std::max(worst, std::abs(got - expected) / (1 + std::abs(expected)));
  }
  return worst;
}

}  // namespace hasa::testing
