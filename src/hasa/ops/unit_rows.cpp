#include "hasa/ops/unit_rows.h"

#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>

#include "hasa/base/error.h"
#include "hasa/ops/vectorised.h"

namespace hasa {
namespace {

constexpr double kLeastLength = 1e-12;
constexpr std::int64_t kRowsPerPart = 64;

HASA_VECTORISED
float dot(const float* a, const float* b, std::int64_t n) {
  // Sixteen sums side by side: one alone would have to be added in order, and could not be vectorised.
  float sums[16] = {};
  std::int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    for (int k = 0; k < 16; ++k) sums[k] += a[i + k] * b[i + k];
  }
  float total = 0;
  for (; i < n; ++i) total += a[i] * b[i];
  for (const float sum : sums) total += sum;
  return total;
}

HASA_VECTORISED
void scale(const float* x, float factor, float* out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = x[i] * factor;
}

HASA_VECTORISED
void project_out(const float* g, const float* y, float along, float factor, float* out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = (g[i] - y[i] * along) * factor;
}

struct UnitRows : torch::autograd::Function<UnitRows> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x) {
    torch::Tensor out = torch::empty_like(x), inverse = torch::empty({x.size(0)}, x.options());
    const std::int64_t n = x.size(1);
    const float* from = x.const_data_ptr<float>();
    float *to = out.data_ptr<float>(), *factor = inverse.data_ptr<float>();
    at::parallel_for(0, x.size(0), kRowsPerPart, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t r = begin; r < end; ++r) {
        const double length = std::sqrt(static_cast<double>(dot(from + r * n, from + r * n, n)));
        factor[r] = static_cast<float>(1 / std::max(length, kLeastLength));
        scale(from + r * n, factor[r], to + r * n, n);
      }
    });
    context->save_for_backward({out, inverse});
    return out;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& grads) {
    const auto saved = context->get_saved_variables();
    const torch::Tensor& y = saved[0];
    const torch::Tensor g = grads[0].contiguous();
    torch::Tensor out = torch::empty_like(y);
    const std::int64_t n = y.size(1);
    const float *from = g.const_data_ptr<float>(), *unit = y.const_data_ptr<float>(),
                *factor = saved[1].const_data_ptr<float>();
    float* to = out.data_ptr<float>();
    at::parallel_for(0, y.size(0), kRowsPerPart, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t r = begin; r < end; ++r) {
        const float along = dot(from + r * n, unit + r * n, n);
        project_out(from + r * n, unit + r * n, along, factor[r], to + r * n, n);
      }
    });
    return {out};
  }
};

}  // namespace

torch::Tensor unit_rows(const torch::Tensor& x) {
  HASA_CHECK(x.dim() == 2, shape, "unit_rows: expected a matrix");
  if (x.is_cpu() && x.scalar_type() == torch::kFloat32) return UnitRows::apply(x.contiguous());
  return x / x.norm(2, /*dim=*/-1, /*keepdim=*/true).clamp_min(kLeastLength);
}

}  // namespace hasa
