#pragma once

#include <torch/types.h>

#include <cstdint>

#include "hasa/ops/encoder/seeded_dropout_kernels.h"

namespace hasa {

/// Dropout that is a function of a seed: value i of a tensor (in row-major order) is dropped when draw i % 8 of
/// philox(i / 8, seed) is below round(share * 65536), and else multiplied by 65536 / (65536 - that). The same on
/// every device and for any number of threads, and made again in a backward pass instead of being kept.
struct SeededDropout {
  double share = 0;  // 0 <= share < 1; 0 leaves values alone
  std::uint64_t seed = 0;
  /// [1] int64 where the values are, or undefined: added to the seed by the kernel as it runs. Kernels captured in
  /// a CUDA graph have their seed written in; a caller who raises this before each replay drops other values each
  /// time. It must not change between a forward pass and its backward pass.
  torch::Tensor step = {};
  /// The place of the tensor's first value, a multiple of 8: value i is dropped as value first + i would be. So a part of
  /// a larger tensor loses what it would lose as part of the whole.
  std::int64_t first = 0;
};

/// A dropout of that share with a seed from torch's CPU generator; of share 0 when not training.
SeededDropout draw_dropout(double share, bool training);

/// x with its dropped values at 0 and the others scaled. Any floating dtype and shape; differentiable.
torch::Tensor seeded_dropout(const torch::Tensor& x, const SeededDropout& dropout);

/// What seeded_dropout multiplies with: 0 or the scale, in float32.
torch::Tensor seeded_dropout_factors(at::IntArrayRef shape, const torch::Device& device, const SeededDropout& dropout);

/// The same by the obvious loop in double, on the CPU.
torch::Tensor seeded_dropout_factors_reference(at::IntArrayRef shape, const SeededDropout& dropout);

/// Throws shape for a share that is none, and for a step that is no [1] int64 on that device.
kernels::DropoutView view_of(const SeededDropout& dropout, const torch::Device& device);

}  // namespace hasa
