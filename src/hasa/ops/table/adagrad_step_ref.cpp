#include <cmath>

#include "hasa/ops/table/adagrad_step.h"
#include "hasa/ops/table/row_rule.h"

namespace hasa {

AdagradStepReference adagrad_step_reference(const torch::Tensor& x_in, const torch::Tensor& gradient_in,
                                            const torch::Tensor& squares_in, double rate, double decay) {
  const auto to_double = [](const torch::Tensor& t) { return t.to(torch::kCPU, torch::kFloat64).contiguous().clone(); };
  const torch::Tensor x = to_double(x_in), gradient = to_double(gradient_in), squares = to_double(squares_in);
  for (std::int64_t i = 0; i < x.numel(); ++i) {
    const double g = gradient.data_ptr<double>()[i];
    double& square = squares.data_ptr<double>()[i];
    double& value = x.data_ptr<double>()[i];
    square += g * g;
    value = value * (1 - rate * decay) - rate * g / (std::sqrt(square) + static_cast<double>(kRuleEpsilon));
  }
  return {x, squares};
}

}  // namespace hasa
