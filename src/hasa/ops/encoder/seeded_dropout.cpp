#include "hasa/ops/encoder/seeded_dropout.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "hasa/base/error.h"
#include "hasa/ops/core/device.h"

namespace hasa {
namespace {

using torch::Tensor;

constexpr std::int64_t kGroupsPerTask = 1 << 12;

/// Groups of eight, whole ones only.
void factors_of_groups(float* out, std::int64_t first, std::int64_t last, std::uint64_t key,
                       const kernels::DropoutView& dropout) {
  for (std::int64_t group = first; group < last; ++group) {
    const EightDraws draws = philox(dropout.counter(group), key);
    for (int i = 0; i < 8; ++i) out[group * 8 + i] = draws[i] >= dropout.threshold ? dropout.scale : 0.0F;
  }
}

}  // namespace

namespace kernels {

void dropout_factors_cpu(const DropoutView& dropout, float* out, std::int64_t count) {
  const std::uint64_t key = dropout.key();
  at::parallel_for(0, count / 8, kGroupsPerTask,
                   [&](std::int64_t first, std::int64_t last) { factors_of_groups(out, first, last, key, dropout); });
  const EightDraws draws = philox(dropout.counter(count / 8), key);
  for (int i = 0; i < count % 8; ++i) {
    out[count / 8 * 8 + i] = draws[i] >= dropout.threshold ? dropout.scale : 0.0F;
  }
}

}  // namespace kernels

kernels::DropoutView view_of(const SeededDropout& dropout, const torch::Device& device) {
  HASA_CHECK(dropout.share >= 0 && dropout.share < 1, shape, "dropout: a share of {} is not from 0 to below 1",
             dropout.share);
  const Tensor& step = dropout.step;
  HASA_CHECK(!step.defined() ||
                 (step.numel() == 1 && step.scalar_type() == torch::kInt64 && step.device().type() == device.type()),
             shape, "dropout: the step must be one int64 on the device of the values");
  const auto threshold = std::min<std::uint32_t>(65535, static_cast<std::uint32_t>(std::lround(dropout.share * 65536)));
  HASA_CHECK(dropout.first >= 0 && dropout.first % 8 == 0, shape,
             "dropout: values cannot begin at {}, which is not a multiple of 8", dropout.first);
  // Exact in the mean, though the share is rounded to a 65536th.
  const float scale = 65536.0F / static_cast<float>(65536 - threshold);
  return {threshold, scale, dropout.seed, step.defined() ? step.const_data_ptr<std::int64_t>() : nullptr,
          static_cast<std::uint64_t>(dropout.first / 8)};
}

SeededDropout draw_dropout(double share, bool training) {
  if (!training || share == 0) return {};
  const auto seed = torch::randint(std::numeric_limits<std::int64_t>::max(), {1}, torch::kInt64).item<std::int64_t>();
  return {share, static_cast<std::uint64_t>(seed)};
}

Tensor seeded_dropout_factors(at::IntArrayRef shape, const torch::Device& device, const SeededDropout& dropout) {
  const kernels::DropoutView view = view_of(dropout, device);
  Tensor factors = torch::empty(shape, torch::TensorOptions(device).dtype(torch::kFloat32));
  float* out = factors.data_ptr<float>();
  dispatch(
      device, [&] { kernels::dropout_factors_cpu(view, out, factors.numel()); },
      [&](void* stream) { kernels::dropout_factors_cuda(view, out, factors.numel(), stream); });
  return factors;
}

Tensor seeded_dropout(const Tensor& x, const SeededDropout& dropout) {
  if (view_of(dropout, x.device()).threshold == 0) return x;
  // The factors stay float32: 1 / 0.9 in bfloat16 would be off by a thousandth for every value alike.
  return (x * seeded_dropout_factors(x.sizes(), x.device(), dropout)).to(x.scalar_type());
}

}  // namespace hasa
