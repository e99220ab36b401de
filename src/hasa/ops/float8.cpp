#include "hasa/ops/float8.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_scaled_mm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/mm.h>

#include "hasa/base/error.h"
#include "hasa/ops/device.h"
#include "hasa/ops/float8_kernels.h"
#include "hasa/ops/kernel_arguments.h"

namespace hasa {
namespace {

using torch::Tensor;

double greatest_of(torch::Dtype type) { return type == torch::kFloat8_e5m2 ? 57344.0 : 448.0; }

Tensor scale_of(const Tensor& x, torch::Dtype type, std::optional<double> scale) {
  const auto options = x.options().dtype(torch::kFloat32);
  if (scale) return at::full({}, *scale, options);
  if (x.numel() == 0) return at::full({}, 1.0, options);
  const auto [least, most] = x.aminmax();
  // A matrix of zeros keeps a scale that can be divided by.
  return (at::maximum(most, -least).to(torch::kFloat32) / greatest_of(type)).clamp_min(1e-30);
}

}  // namespace

bool has_float8(const torch::Device& device) { return device.is_cpu() || cuda_capability(device) >= 90; }

Float8Matrix to_float8(const Tensor& x_in, torch::Dtype type, std::optional<double> scale) {
  HASA_CHECK(x_in.dim() == 2 && x_in.size(1) % 8 == 0, shape, "to_float8: expected [rows, columns], columns in eights");
  HASA_CHECK(type == torch::kFloat8_e4m3fn || type == torch::kFloat8_e5m2, shape, "to_float8: not a type of 8 bits");
  const at::NoGradGuard no_gradients;
  const Tensor x = for_kernel(x_in.detach());
  Float8Matrix result{at::empty(x.sizes(), x.options().dtype(type)), scale_of(x, type, scale)};
  dispatch(
      x.device(),
      [&] {
        const double most = greatest_of(type);
        result.values.copy_((x.to(torch::kFloat32) / result.scale).clamp(-most, most));
      },
      [&](void* stream) {
        HASA_CHECK(x.scalar_type() == torch::kBFloat16, shape, "to_float8: expected bfloat16 on a GPU");
        kernels::to_float8_cuda(x.const_data_ptr(), x.numel(), result.scale.const_data_ptr<float>(),
                                type == torch::kFloat8_e5m2, result.values.mutable_data_ptr(), stream);
      });
  return result;
}

Tensor float8_product(const Float8Matrix& a, const Float8Matrix& b, const Tensor& bias, bool exact_sums) {
  HASA_CHECK(a.values.size(1) == b.values.size(1) && a.values.size(1) % 16 == 0 && b.values.size(0) % 16 == 0, shape,
             "float8_product: [{}, {}] and [{}, {}], expected the same depth, and it and the columns in sixteens",
             a.values.size(0), a.values.size(1), b.values.size(0), b.values.size(1));
  HASA_CHECK(b.values.scalar_type() == torch::kFloat8_e4m3fn, shape, "float8_product: the second matrix must be e4m3");
  const at::NoGradGuard no_gradients;
  if (!a.values.is_cpu()) {
    return at::_scaled_mm(a.values, b.values.t(), a.scale, b.scale,
                          bias.defined() ? std::optional<Tensor>(bias) : std::nullopt, std::nullopt, torch::kBFloat16,
                          /*use_fast_accum=*/!exact_sums);
  }
  Tensor product = at::mm(a.values.to(torch::kFloat32), b.values.to(torch::kFloat32).t()) * (a.scale * b.scale);
  if (bias.defined()) product += bias;
  return product.to(torch::kBFloat16);
}

}  // namespace hasa
