#include "hasa/ops/encoder/packed_mean.h"

namespace hasa {

torch::Tensor packed_mean_reference(const torch::Tensor& x, const PackedTexts& texts) {
  const torch::Tensor rows = x.to(torch::kCPU, torch::kFloat64), offsets = texts.offsets.to(torch::kCPU, torch::kInt64);
  torch::Tensor out = torch::zeros({offsets.size(0) - 1, x.size(1)}, torch::kFloat64);
  for (std::int64_t text = 0; text < out.size(0); ++text) {
    const auto begin = offsets[text].item<std::int64_t>(), end = offsets[text + 1].item<std::int64_t>();
    for (std::int64_t c = 0; c < x.size(1); ++c) {
      double total = 0;
      for (std::int64_t row = begin; row < end; ++row) total += rows[row][c].item<double>();
      if (end > begin) out[text][c] = total / static_cast<double>(end - begin);
    }
  }
  return out.to(x.device(), torch::kFloat32);
}

}  // namespace hasa
