#include "hasa/ops/core/finite.h"

#include <ATen/ops/isfinite.h>

#include <cmath>

namespace hasa {

bool all_finite(const torch::Tensor& values) {
  if (!at::isFloatingType(values.scalar_type())) return true;
  // NaN and infinities stay in a sum, so a finite one settles it. One that is not may also have grown too large.
  if (std::isfinite(values.sum(torch::kFloat32).item<float>())) return true;
  return at::isfinite(values).all().item<bool>();
}

}  // namespace hasa
