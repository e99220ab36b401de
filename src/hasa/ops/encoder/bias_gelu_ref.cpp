#include <cmath>

#include "hasa/ops/encoder/bias_gelu.h"

namespace hasa {

torch::Tensor bias_gelu_reference(const torch::Tensor& x, const torch::Tensor& bias) {
  torch::Tensor out = x.detach().to(torch::kCPU, torch::kFloat64).clone();
  const torch::Tensor added = bias.detach().to(torch::kCPU, torch::kFloat64);
  auto value = out.accessor<double, 2>();
  for (std::int64_t row = 0; row < out.size(0); ++row) {
    for (std::int64_t c = 0; c < out.size(1); ++c) {
      const double v = value[row][c] + added.accessor<double, 1>()[c];
      value[row][c] = v * 0.5 * std::erfc(-v / std::sqrt(2.0));
    }
  }
  return out;
}

}  // namespace hasa
