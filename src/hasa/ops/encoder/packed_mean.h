#pragma once

#include <torch/types.h>

#include "hasa/ops/encoder/packed_attention.h"

namespace hasa {

/// out[t] = mean of x's rows offsets[t] .. offsets[t + 1]; zero for a text without rows.
///
/// x [tokens, width] of float32, bfloat16 or float16 -> [texts, width] float32, differentiable, deterministic.
torch::Tensor packed_mean(const torch::Tensor& x, const PackedTexts& texts);

/// The obvious loop in double, on the CPU.
torch::Tensor packed_mean_reference(const torch::Tensor& x, const PackedTexts& texts);

}  // namespace hasa
