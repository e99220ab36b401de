#include "hasa/ops/graph/path_update.h"

#include <torch/csrc/autograd/custom_function.h>

#include "hasa/base/error.h"
#include "hasa/ops/core/device.h"
#include "hasa/ops/core/kernel_arguments.h"
#include "hasa/ops/graph/path_update_kernels.h"

namespace hasa {
namespace {

kernels::PathUpdate arguments_of(const torch::Tensor& z, const torch::Tensor& bias, const torch::Tensor& norm_weight,
                                 const torch::Tensor& norm_bias, const torch::Tensor& before, const PathBatch& batch) {
  return {.z = z.const_data_ptr(),
          .before = before.const_data_ptr(),
          .bias = bias.const_data_ptr<float>(),
          .norm_weight = norm_weight.const_data_ptr<float>(),
          .norm_bias = norm_bias.const_data_ptr<float>(),
          .scale = batch.scale.const_data_ptr<float>(),
          .pairs = batch.pairs.const_data_ptr<std::int32_t>(),
          .rows = z.size(0),
          .rows_before = before.size(0),
          .dim = bias.size(0),
          .queries = batch.queries(),
          .parts = z.size(1) > bias.size(0) ? 3 : 1,
          .is_bfloat16 = z.scalar_type() == torch::kBFloat16};
}

struct PathUpdateFunction : torch::autograd::Function<PathUpdateFunction> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& z_in,
                               const torch::Tensor& bias, const torch::Tensor& norm_weight,
                               const torch::Tensor& norm_bias, const torch::Tensor& before_in,
                               const PathBatchPtr& batch) {
    const torch::Tensor z = for_kernel(z_in), before = for_kernel(before_in);
    torch::Tensor out = torch::empty({z.size(0), bias.size(0)}, z.options());
    const kernels::PathUpdate update = arguments_of(z, bias, norm_weight, norm_bias, before, *batch);
    dispatch(
        z.device(), [&] { kernels::path_update_cpu(update, out.mutable_data_ptr()); },
        [&](void* stream) { kernels::path_update_cuda(update, out.mutable_data_ptr(), stream); });
    context->save_for_backward({z, bias, norm_weight, norm_bias, before});
    context->saved_data["batch"] = torch::IValue::make_capsule(batch);
    return out;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& grads) {
    const auto saved = context->get_saved_variables();
    const torch::Tensor &z = saved[0], &before = saved[4], out_grad = for_kernel(grads[0]);
    const auto capsule = context->saved_data["batch"].toCapsule();
    const kernels::PathUpdate update =
        arguments_of(z, saved[1], saved[2], saved[3], before, static_cast<const PathBatch&>(*capsule));
    torch::Tensor z_grad = torch::empty_like(z);
    const auto floats = saved[1].options().requires_grad(false);
    const torch::Tensor partial = torch::empty({kernels::kPathUpdateBlocks, 3, update.dim}, floats);
    torch::Tensor sums = torch::zeros({3, update.dim}, floats);
    float* sum = sums.data_ptr<float>();
    const kernels::PathUpdateGradient gradient{out_grad.const_data_ptr(),
                                               z_grad.mutable_data_ptr(),
                                               partial.data_ptr<float>(),
                                               {sum, sum + update.dim, sum + 2 * update.dim}};
    dispatch(
        z.device(), [&] { kernels::path_update_gradient_cpu(update, gradient); },
        [&](void* stream) { kernels::path_update_gradient_cuda(update, gradient, stream); });
    return {z_grad, sums[0], sums[1], sums[2], out_grad.slice(0, 0, before.size(0)), {}};
  }
};

}  // namespace

torch::Tensor path_update(const torch::Tensor& z, const PathUpdateParameters& p, const torch::Tensor& before,
                          const PathBatchPtr& batch, std::int64_t layer) {
  const std::int64_t dim = p.bias.size(0);
  HASA_CHECK(dim % 8 == 0 && dim <= kernels::kMostPathColumns && (dim & (dim - 1)) == 0, shape,
             "path_update: expected 8, 16, 32, 64 or 128 dimensions, got {}", dim);
  HASA_CHECK(z.dim() == 2 && z.size(0) == batch->rows[layer] && (z.size(1) == dim || z.size(1) == 3 * dim), shape,
             "path_update: expected {} rows of {} or {} columns", batch->rows[layer], dim, 3 * dim);
  HASA_CHECK(before.size(0) == batch->rows[layer - 1] && before.size(1) == dim, shape,
             "path_update: expected the {} states before layer {}", batch->rows[layer - 1], layer);
  HASA_CHECK(z.scalar_type() == before.scalar_type() &&
                 (z.scalar_type() == torch::kFloat32 || (z.scalar_type() == torch::kBFloat16 && z.is_cuda())),
             shape, "path_update: expected z and states of float32, or on a GPU of bfloat16");
  return PathUpdateFunction::apply(z, p.bias, p.norm_weight, p.norm_bias, before, batch);
}

}  // namespace hasa
