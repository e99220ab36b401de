#pragma once

#include <torch/types.h>

namespace hasa {

/// Whether every value is finite. Integers always are. Usually one pass at memory bandwidth.
bool all_finite(const torch::Tensor& values);

}  // namespace hasa
