#pragma once

#include <torch/types.h>

#include <cstdint>

namespace hasa {

/// In training, each value is set to 0 with probability `share` and otherwise divided by 1 - share; else x.
///
/// Differentiable. On the CPU the mask is a hash of the value's position and a seed
/// drawn from torch's generator: the same for any number of threads, recomputed in the backward
/// pass instead of stored, and ten times faster than torch's own, whose generator is serial. float32, any shape.
/// `first`, on the CPU: the position of x's first value in a larger tensor, of which x loses what it would lose there.
torch::Tensor hashed_dropout(const torch::Tensor& x, double share, bool training, std::int64_t first = 0);

}  // namespace hasa
