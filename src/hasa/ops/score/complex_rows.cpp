#include "hasa/ops/score/complex_rows.h"

#include <torch/csrc/autograd/custom_function.h>

#include "hasa/base/error.h"
#include "hasa/ops/core/kernel_arguments.h"
#include "hasa/ops/score/complex_rows_kernels.h"

namespace hasa {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// With LibTorch's operations, which are enough for a CPU and take any type.
Tensor times(const Tensor& x, const Tensor& real, const Tensor& imaginary, const Tensor& turned) {
  const Tensor a = real_parts(x), b = imaginary_parts(x);
  const Tensor c = turned.defined() ? torch::where(turned.unsqueeze(1), -imaginary, imaginary) : imaginary;
  return torch::cat({a * real - b * c, a * c + b * real}, -1);
}

kernels::ComplexRows complex_pass(const Tensor& x, const Tensor& y, const Tensor& turned, bool angles, double unit) {
  return {x.size(0),
          x.size(1) / 2,
          angles,
          static_cast<float>(unit),
          x.const_data_ptr<float>(),
          y.const_data_ptr<float>(),
          turned.defined() ? turned.const_data_ptr<bool>() : nullptr};
}

class FusedProduct : public torch::autograd::Function<FusedProduct> {
 public:
  static Tensor forward(AutogradContext* ctx, const Tensor& x_in, const Tensor& y_in, const Tensor& turned_or_empty,
                        bool angles, double unit) {
    const Tensor x = x_in.contiguous(), y = y_in.contiguous(), turned = or_undefined(turned_or_empty);
    Tensor out = torch::empty_like(x);
    if (out.numel() > 0) {
      on_cuda([&](void* stream) {
        kernels::complex_rows_forward_cuda(complex_pass(x, y, turned, angles, unit), out.data_ptr<float>(), stream);
      });
    }
    ctx->save_for_backward({x, y, turned_or_empty});
    ctx->saved_data["angles"] = angles;
    ctx->saved_data["unit"] = unit;
    return out;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const Tensor &x = saved[0], &y = saved[1], turned = or_undefined(saved[2]), grad = grads[0].contiguous();
    Tensor x_grad = torch::empty_like(x), y_grad = torch::empty_like(y);
    if (x.numel() > 0) {
      on_cuda([&](void* stream) {
        kernels::complex_rows_backward_cuda(
            complex_pass(x, y, turned, ctx->saved_data["angles"].toBool(), ctx->saved_data["unit"].toDouble()),
            grad.const_data_ptr<float>(), x_grad.data_ptr<float>(), y_grad.data_ptr<float>(), stream);
      });
    }
    return {x_grad, y_grad, {}, {}, {}};
  }
};

void check(const Tensor& x, const Tensor& y, std::int64_t columns, const Tensor& turned) {
  HASA_CHECK(x.dim() == 2 && x.size(1) % 2 == 0 && y.dim() == 2 && y.size(0) == x.size(0) && y.size(1) == columns &&
                 y.device() == x.device() && y.scalar_type() == x.scalar_type(),
             shape, "complex rows: [{}, {}] numbers do not go with [{}, {}]", x.size(0), x.size(-1), y.size(0),
             y.size(-1));
  HASA_CHECK(!turned.defined() || (turned.dim() == 1 && turned.size(0) == x.size(0) && turned.is_contiguous() &&
                                   turned.scalar_type() == torch::kBool && turned.device() == x.device()),
             shape, "complex rows: which are turned must be [{}] of bool", x.size(0));
}

bool has_kernel(const Tensor& x) { return x.is_cuda() && x.scalar_type() == torch::kFloat32; }

}  // namespace

Tensor complex_product(const Tensor& x, const Tensor& y, const Tensor& turned) {
  check(x, y, x.size(-1), turned);
  if (has_kernel(x)) return FusedProduct::apply(x, y, or_empty(turned, x), /*angles=*/false, 1.0);
  return times(x, real_parts(y), imaginary_parts(y), turned);
}

Tensor complex_rotation(const Tensor& x, const Tensor& angles, double unit, const Tensor& turned) {
  check(x, angles, x.size(-1) / 2, turned);
  if (has_kernel(x)) return FusedProduct::apply(x, angles, or_empty(turned, x), /*angles=*/true, unit);
  const Tensor radians = angles * unit;
  return times(x, radians.cos(), radians.sin(), turned);
}

}  // namespace hasa
