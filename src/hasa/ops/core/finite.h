#pragma once

#include <torch/types.h>

namespace hasa {

/// Whether every value is a finite number. Integers always are. As a rule one pass at the speed of memory.
bool all_finite(const torch::Tensor& values);

}  // namespace hasa
