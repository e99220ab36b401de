#include "hasa/nn/linear.h"

#include <cmath>

#include "hasa/ops/core/kernel_arguments.h"
#include "hasa/ops/score/ordered_product.h"

namespace hasa {

torch::Tensor linear(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias) {
  const bool ordered = x.is_cpu() && x.dim() == 2 && x.scalar_type() == torch::kFloat32 &&
                       weight.scalar_type() == torch::kFloat32 && !wants_gradient({x, weight, bias});
  return ordered ? ordered_product(x, weight.t()).add_(bias) : torch::linear(x, weight, bias);
}

Linear::Linear(std::int64_t inputs, std::int64_t outputs) {
  const double bound = 1.0 / std::sqrt(static_cast<double>(inputs));
  weight = torch::empty({outputs, inputs}).uniform_(-bound, bound).requires_grad_();
  bias = torch::empty({outputs}).uniform_(-bound, bound).requires_grad_();
}

torch::Tensor Linear::operator()(const torch::Tensor& x) const { return hasa::linear(x, weight, bias); }

LayerNorm::LayerNorm(std::int64_t size)
    : weight(torch::ones({size}).requires_grad_()), bias(torch::zeros({size}).requires_grad_()) {}

torch::Tensor LayerNorm::operator()(const torch::Tensor& x) const {
  return torch::layer_norm(x, {weight.size(0)}, weight, bias);
}

}  // namespace hasa
