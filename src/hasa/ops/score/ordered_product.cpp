#include "hasa/ops/score/ordered_product.h"

#include <torch/csrc/autograd/custom_function.h>

#include "hasa/base/error.h"
#include "hasa/ops/core/kernel_arguments.h"
#include "hasa/ops/score/ordered_product_kernels.h"

namespace hasa {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

kernels::StridedMatrix strided(const torch::Tensor& x) { return {x.const_data_ptr<float>(), x.stride(0), x.stride(1)}; }

torch::Tensor product(const torch::Tensor& a, const torch::Tensor& b) {
  torch::Tensor out = torch::empty({a.size(0), b.size(1)}, a.options());
  if (out.numel() == 0) return out;
  kernels::ordered_product_cpu({a.size(0), b.size(1), a.size(1), strided(a), strided(b), out.data_ptr<float>()});
  return out;
}

struct OrderedProductFunction : torch::autograd::Function<OrderedProductFunction> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& a, const torch::Tensor& b) {
    context->save_for_backward({a, b});
    return product(a, b);
  }
  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const variable_list saved = context->get_saved_variables();
    torch::Tensor of_a, of_b;
    if (context->needs_input_grad(0)) of_a = product(grads[0], saved[1].t());
    if (context->needs_input_grad(1)) of_b = product(saved[0].t(), grads[0]);
    return {of_a, of_b};
  }
};

}  // namespace

torch::Tensor ordered_product(const torch::Tensor& a, const torch::Tensor& b) {
  HASA_CHECK(a.dim() == 2 && b.dim() == 2 && a.size(1) == b.size(0), shape,
             "ordered_product: matrices that do not fit each other");
  HASA_CHECK(a.scalar_type() == torch::kFloat32 && b.scalar_type() == torch::kFloat32, shape,
             "ordered_product: expected float32");
  if (!a.is_cpu()) return torch::mm(a, b);
  return wants_gradient({a, b}) ? OrderedProductFunction::apply(a, b) : product(a, b);
}

OrderedColumns::OrderedColumns(const torch::Tensor& b) : rows_(b.size(0)), columns_(b.size(1)), panels_(b) {
  HASA_CHECK(b.dim() == 2 && b.scalar_type() == torch::kFloat32, shape, "OrderedColumns: expected a float32 matrix");
  if (!b.is_cpu()) return;
  panels_ = torch::empty({kernels::packed_columns_size(columns_, rows_)}, b.options());
  if (panels_.numel() > 0) kernels::pack_columns_cpu(strided(b), columns_, rows_, panels_.data_ptr<float>());
}

torch::Tensor OrderedColumns::product(const torch::Tensor& a) const {
  HASA_CHECK(a.dim() == 2 && a.size(1) == rows_ && a.scalar_type() == torch::kFloat32, shape,
             "OrderedColumns: a matrix that does not fit");
  if (!a.is_cpu()) return torch::mm(a, panels_);
  torch::Tensor out = torch::empty({a.size(0), columns_}, a.options());
  if (out.numel() == 0) return out;
  kernels::ordered_product_cpu({.rows = a.size(0),
                                .columns = columns_,
                                .depth = rows_,
                                .a = strided(a),
                                .b = {},
                                .out = out.data_ptr<float>(),
                                .b_panels = panels_.const_data_ptr<float>()});
  return out;
}

}  // namespace hasa
