#pragma once

#include <torch/types.h>

namespace hasa {

/// Rows divided by their length; a row shorter than 1e-12 is divided by that. x [rows, columns] float32.
/// Differentiable: the gradient of a row is (g - y (y . g)) / length.
torch::Tensor unit_rows(const torch::Tensor& x);

}  // namespace hasa
