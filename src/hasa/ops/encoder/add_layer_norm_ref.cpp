#include <cmath>

#include "hasa/ops/encoder/add_layer_norm.h"

namespace hasa {

torch::Tensor add_layer_norm_reference(const torch::Tensor& x, const torch::Tensor& residual,
                                       const torch::Tensor& weight, const torch::Tensor& bias, double eps) {
  const auto to_double = [](const torch::Tensor& t) { return t.to(torch::kCPU, torch::kFloat64).contiguous(); };
  torch::Tensor s = to_double(x).clone();
  if (residual.defined()) s += to_double(residual);
  const torch::Tensor scale = to_double(weight), shift = to_double(bias);
  auto value = s.accessor<double, 2>();
  for (std::int64_t row = 0; row < s.size(0); ++row) {
    double mean = 0, variance = 0;
    for (std::int64_t c = 0; c < s.size(1); ++c) mean += value[row][c] / static_cast<double>(s.size(1));
    for (std::int64_t c = 0; c < s.size(1); ++c) {
      variance += (value[row][c] - mean) * (value[row][c] - mean) / static_cast<double>(s.size(1));
    }
    for (std::int64_t c = 0; c < s.size(1); ++c) {
      value[row][c] = (value[row][c] - mean) / std::sqrt(variance + eps) * scale.accessor<double, 1>()[c] +
                      shift.accessor<double, 1>()[c];
    }
  }
  return s.to(x.device(), x.scalar_type());
}

}  // namespace hasa
