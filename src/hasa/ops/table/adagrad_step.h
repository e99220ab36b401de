#pragma once

#include <torch/types.h>

namespace hasa {

/// A step of adagrad (row_rule.h) over a whole table, in place: squares <- squares + gradient^2,
/// x <- x (1 - rate decay) - rate gradient / (sqrt(squares) + eps). All of one shape, float32. On a GPU one kernel,
/// which reads and writes each number once.
void adagrad_step(const torch::Tensor& x, const torch::Tensor& gradient, const torch::Tensor& squares, double rate,
                  double decay);

struct AdagradStepReference {
  torch::Tensor x, squares;  // after the step
};
/// The obvious loop in double, on the CPU; changes nothing.
AdagradStepReference adagrad_step_reference(const torch::Tensor& x, const torch::Tensor& gradient,
                                            const torch::Tensor& squares, double rate, double decay);

}  // namespace hasa
