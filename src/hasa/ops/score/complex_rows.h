#pragma once

#include <torch/types.h>

namespace hasa {

// Rows of complex numbers: the first half of a row has the real parts, the second the imaginary ones.

inline torch::Tensor real_parts(const torch::Tensor& x) { return x.narrow(-1, 0, x.size(-1) / 2); }
inline torch::Tensor imaginary_parts(const torch::Tensor& x) { return x.narrow(-1, x.size(-1) / 2, x.size(-1) / 2); }

/// x times y, number by number. x, y [n, 2k] -> [n, 2k]. In rows that are `turned` [n] bool, where that is defined, y
/// is conjugated. Differentiable in x and y; on a GPU in float32 one kernel forth and one back.
torch::Tensor complex_product(const torch::Tensor& x, const torch::Tensor& y, const torch::Tensor& turned = {});

/// x turned by `angles` [n, k], in `unit` radians; the other way round in rows that are turned.
torch::Tensor complex_rotation(const torch::Tensor& x, const torch::Tensor& angles, double unit,
                               const torch::Tensor& turned = {});

/// The obvious loops in double, on the CPU: the result, and what the gradient of the result becomes in x and y.
struct ComplexRowsReference {
  torch::Tensor out, x_grad, y_grad;
};
ComplexRowsReference complex_product_reference(const torch::Tensor& x, const torch::Tensor& y,
                                               const torch::Tensor& grad, const torch::Tensor& turned = {});
ComplexRowsReference complex_rotation_reference(const torch::Tensor& x, const torch::Tensor& angles, double unit,
                                                const torch::Tensor& grad, const torch::Tensor& turned = {});

}  // namespace hasa
