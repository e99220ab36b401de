#include "hasa/ops/score/prepared_product.h"

#include "hasa/base/error.h"
#include "hasa/ops/score/ordered_product_kernels.h"

namespace hasa {
namespace {

void check_on_cpu(const torch::Tensor& x) {
  HASA_CHECK(x.dim() == 2 && x.is_cpu() && x.scalar_type() == torch::kFloat32, shape,
             "prepared product: expected matrices of float32 on the CPU");
}

kernels::StridedMatrix strided_view(const torch::Tensor& x) {
  return {x.const_data_ptr<float>(), x.stride(0), x.stride(1)};
}

}  // namespace

PreparedProduct::PreparedProduct(const torch::Tensor& b) {
  check_on_cpu(b);
  depth_ = b.size(0);
  columns_ = b.size(1);
  const std::int64_t width = kernels::prepared_width();
  panels_ = torch::empty({(columns_ + width - 1) / width, depth_, width}, b.options().requires_grad(false));
  if (panels_.numel() > 0) kernels::prepare_columns_cpu(strided_view(b), depth_, columns_, panels_.data_ptr<float>());
}

torch::Tensor PreparedProduct::operator()(const torch::Tensor& a) const {
  check_on_cpu(a);
  HASA_CHECK(a.size(1) == depth_, shape, "prepared product: matrices that do not fit each other");
  torch::Tensor out = torch::empty({a.size(0), columns_}, a.options().requires_grad(false));
  if (depth_ == 0) return out.zero_();
  if (out.numel() == 0) return out;
  kernels::prepared_product_cpu({a.size(0), columns_, depth_, strided_view(a), panels_.const_data_ptr<float>(),
                                 out.data_ptr<float>()});
  return out;
}

}  // namespace hasa
