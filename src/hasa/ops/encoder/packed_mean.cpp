#include "hasa/ops/encoder/packed_mean.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/segment_reduce.h>
#include <ATen/ops/zeros.h>

#include "hasa/base/error.h"

namespace hasa {
namespace {

using torch::Tensor;

/// Few rows and read once: the sums run in float32 over whole rows, in the order of the rows.
Tensor mean_cpu(const Tensor& x, const PackedTexts& texts) {
  const auto* offsets = texts.offsets.const_data_ptr<std::int32_t>();
  const std::int64_t count = texts.offsets.size(0) - 1, width = x.size(1);
  const Tensor rows = x.to(torch::kFloat32).contiguous();
  Tensor out = at::zeros({count, width}, rows.options());
  const float* from = rows.const_data_ptr<float>();
  float* to = out.mutable_data_ptr<float>();
  for (std::int64_t text = 0; text < count; ++text, to += width) {
    const std::int64_t begin = offsets[text], end = offsets[text + 1];
    HASA_CHECK(begin >= 0 && begin <= end && end <= x.size(0), shape, "packed_mean: text {} spans {}..{} of {} rows",
               text, begin, end, x.size(0));
    for (std::int64_t row = begin; row < end; ++row) {
      for (std::int64_t c = 0; c < width; ++c) to[c] += from[row * width + c];
    }
    const float share = end > begin ? 1.0f / static_cast<float>(end - begin) : 0.0f;
    for (std::int64_t c = 0; c < width; ++c) to[c] *= share;
  }
  return out;
}

}  // namespace

Tensor packed_mean(const Tensor& x, const PackedTexts& texts) {
  HASA_CHECK(x.dim() == 2 && texts.offsets.dim() == 1 && texts.offsets.size(0) >= 1 &&
                 texts.offsets.scalar_type() == torch::kInt32,
             shape, "packed_mean: x must be [tokens, width], offsets an int32 vector");
  if (x.is_cpu() && !(at::GradMode::is_enabled() && x.requires_grad())) return mean_cpu(x, texts);
  const Tensor lengths = (texts.offsets.slice(0, 1) - texts.offsets.slice(0, 0, -1)).to(torch::kInt64);
  // unsafe: skips a check of the lengths that would wait for the GPU.
  return at::segment_reduce(x.to(torch::kFloat32).contiguous(), "mean", lengths, {}, {}, 0, /*unsafe=*/true,
                            /*initial=*/0);
}

}  // namespace hasa
