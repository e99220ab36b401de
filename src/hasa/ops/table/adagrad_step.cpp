#include "hasa/ops/table/adagrad_step.h"

#include "hasa/base/error.h"
#include "hasa/ops/core/device.h"
#include "hasa/ops/table/adagrad_step_kernels.h"
#include "hasa/ops/table/row_rule.h"

namespace hasa {

void adagrad_step(const torch::Tensor& x, const torch::Tensor& gradient_in, const torch::Tensor& squares, double rate,
                  double decay) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor gradient = gradient_in.contiguous();
  HASA_CHECK(x.sizes() == gradient.sizes() && x.sizes() == squares.sizes() && x.is_contiguous() &&
                 squares.is_contiguous() && x.scalar_type() == torch::kFloat32 &&
                 gradient.scalar_type() == torch::kFloat32 && squares.scalar_type() == torch::kFloat32,
             shape, "adagrad_step: expected contiguous float32 tensors of one shape");
  if (x.numel() == 0) return;
  const auto on_cpu = [&] {
    squares.addcmul_(gradient, gradient);
    if (decay > 0) x.mul_(1 - rate * decay);
    x.addcdiv_(gradient, squares.sqrt().add_(kRuleEpsilon), -rate);
  };
  dispatch(x.device(), on_cpu, [&](void* stream) {
    kernels::adagrad_step_cuda({x.numel(), static_cast<float>(rate), static_cast<float>(1 - rate * decay),
                                gradient.const_data_ptr<float>(), x.data_ptr<float>(), squares.data_ptr<float>()},
                               stream);
  });
}

}  // namespace hasa
