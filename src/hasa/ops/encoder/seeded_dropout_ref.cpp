#include <cmath>

#include "hasa/ops/encoder/seeded_dropout.h"

namespace hasa {

torch::Tensor seeded_dropout_factors_reference(at::IntArrayRef shape, const SeededDropout& dropout) {
  const std::uint64_t step = dropout.step.defined() ? static_cast<std::uint64_t>(dropout.step.item<std::int64_t>()) : 0;
  const double dropped = std::round(dropout.share * 65536);  // of 65536 draws
  torch::Tensor factors = torch::zeros(shape, torch::kFloat64);
  for (std::int64_t i = 0; i < factors.numel(); ++i) {
    const std::uint32_t draw =
        philox(static_cast<std::uint64_t>((dropout.first + i) / 8), dropout.seed + step)[static_cast<int>(i % 8)];
    if (draw >= dropped) factors.data_ptr<double>()[i] = 65536 / (65536 - dropped);
  }
  return factors;
}

}  // namespace hasa
