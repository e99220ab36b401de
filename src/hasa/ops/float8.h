#pragma once

#include <torch/types.h>

#include <optional>

namespace hasa {

/// A matrix in numbers of 8 bits: what it stands for is values * scale.
struct Float8Matrix {
  torch::Tensor values;  // [rows, columns] float8_e4m3fn or float8_e5m2, rows end to end
  torch::Tensor scale;   // [] float32, where the values are
};

/// x / scale rounded to the nearest of the type's numbers, what lies beyond them to the greatest (448 or 57,344).
/// The scale is the one given or, without one, such that the greatest magnitude of x becomes the greatest number.
///
/// x [rows, columns], columns a multiple of 8: bfloat16 on a GPU, any floating type on the CPU. No gradient; the
/// host does not wait.
Float8Matrix to_float8(const torch::Tensor& x, torch::Dtype type = torch::kFloat8_e4m3fn,
                       std::optional<double> scale = std::nullopt);

/// a bᵀ + bias in bfloat16. a [rows, k] of either type, b [columns, k] of e4m3; k and columns multiples of 16. bias
/// [columns] bfloat16, or undefined. On a GPU of Hopper's kind or later; on the CPU by way of float32. Sums are
/// float32 with exact_sums, else as the matrix units have them: some 13 bits on Hopper, a third faster.
torch::Tensor float8_product(const Float8Matrix& a, const Float8Matrix& b, const torch::Tensor& bias = {},
                             bool exact_sums = false);

/// Whether float8_product runs on this device.
bool has_float8(const torch::Device& device);

}  // namespace hasa
