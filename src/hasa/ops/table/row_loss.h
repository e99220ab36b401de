#pragma once

#include <torch/types.h>

#include "hasa/ops/table/row_loss_kind.h"

namespace hasa {

/// scores [queries, 1 + n], the answer's first; n >= 1 -> [queries]. Tensor operations in the scores' dtype,
/// differentiable; safe for scores of any size.
torch::Tensor row_losses(const torch::Tensor& scores, const RowLoss& loss);

}  // namespace hasa
