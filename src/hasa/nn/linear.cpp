#include "hasa/nn/linear.h"

#include <cmath>

namespace hasa {

Linear::Linear(std::int64_t inputs, std::int64_t outputs) {
  const double bound = 1.0 / std::sqrt(static_cast<double>(inputs));
  weight = torch::empty({outputs, inputs}).uniform_(-bound, bound).requires_grad_();
  bias = torch::empty({outputs}).uniform_(-bound, bound).requires_grad_();
}

torch::Tensor Linear::operator()(const torch::Tensor& x) const { return torch::linear(x, weight, bias); }

LayerNorm::LayerNorm(std::int64_t size)
    : weight(torch::ones({size}).requires_grad_()), bias(torch::zeros({size}).requires_grad_()) {}

torch::Tensor LayerNorm::operator()(const torch::Tensor& x) const {
  return torch::layer_norm(x, {weight.size(0)}, weight, bias);
}

}  // namespace hasa
