#include <cmath>

#include "hasa/ops/encoder/dropout_add_layer_norm.h"

namespace hasa {

torch::Tensor dropout_add_layer_norm_reference(const torch::Tensor& x, const torch::Tensor& linear_bias,
                                               const torch::Tensor& residual, const torch::Tensor& weight,
                                               const torch::Tensor& bias, double eps, const SeededDropout& dropout) {
  const auto to_double = [](const torch::Tensor& t) { return t.detach().to(torch::kCPU, torch::kFloat64); };
  const std::int64_t rows = x.size(0), width = x.size(1);
  const torch::Tensor product = to_double(x), kept = to_double(residual), scale = to_double(weight);
  const torch::Tensor shift = to_double(bias);
  const torch::Tensor added = linear_bias.defined() ? to_double(linear_bias) : torch::zeros({width}, torch::kFloat64);
  const kernels::DropoutView choice = view_of(dropout, x.device());
  const std::uint64_t seed =
      dropout.seed + (dropout.step.defined() ? static_cast<std::uint64_t>(dropout.step.item<std::int64_t>()) : 0);
  const auto p = product.accessor<double, 2>(), r = kept.accessor<double, 2>();
  const auto a = added.accessor<double, 1>(), w = scale.accessor<double, 1>(), b = shift.accessor<double, 1>();

  torch::Tensor out = torch::empty({rows, width}, torch::kFloat64);
  auto o = out.accessor<double, 2>();
  for (std::int64_t row = 0; row < rows; ++row) {
    double mean = 0, variance = 0;
    for (std::int64_t c = 0; c < width; ++c) {
      const std::int64_t i = row * width + c;
      const std::uint32_t draw = philox(choice.counter(i / 8), seed)[static_cast<int>(i % 8)];
      o[row][c] = r[row][c] + (draw < choice.threshold ? 0.0 : (p[row][c] + a[c]) * static_cast<double>(choice.scale));
      mean += o[row][c] / static_cast<double>(width);
    }
    for (std::int64_t c = 0; c < width; ++c) {
      variance += (o[row][c] - mean) * (o[row][c] - mean) / static_cast<double>(width);
    }
    for (std::int64_t c = 0; c < width; ++c) {
      o[row][c] = (o[row][c] - mean) / std::sqrt(variance + eps) * w[c] + b[c];
    }
  }
  return out;
}

}  // namespace hasa
