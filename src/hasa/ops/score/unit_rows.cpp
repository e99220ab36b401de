#include "hasa/ops/score/unit_rows.h"

#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>

#include "hasa/base/error.h"
#include "hasa/ops/core/cpu_vector.h"

namespace hasa {
namespace {

constexpr double kLeastLength = 1e-12;
constexpr std::int64_t kRowsPerPart = 64;

[[gnu::always_inline]] inline float dot(const float* a, const float* b, std::int64_t n) {
  cpu::Vector sums{};
  cpu::for_each_vector(n, [&](std::int64_t i, std::int64_t count) __attribute__((always_inline)) {
    sums += cpu::load(a + i, count) * cpu::load(b + i, count);
  });
  return cpu::sum(sums);
}

[[gnu::always_inline]] inline void scale(const float* x, float factor, float* out, std::int64_t n) {
  cpu::for_each_vector(n, [&](std::int64_t i, std::int64_t count) __attribute__((always_inline)) {
    cpu::store(out + i, cpu::load(x + i, count) * factor, count);
  });
}

[[gnu::always_inline]] inline void project_out(const float* g, const float* y, float along, float factor, float* out,
                                               std::int64_t n) {
  cpu::for_each_vector(n, [&](std::int64_t i, std::int64_t count) __attribute__((always_inline)) {
    cpu::store(out + i, (cpu::load(g + i, count) - cpu::load(y + i, count) * along) * factor, count);
  });
}

/// As cpu::run_for_this_cpu, for rows [0, rows) in parallel; body(row) is an always-inline lambda.
template <class Body>
void for_each_row(std::int64_t rows, const Body& body) {
  at::parallel_for(0, rows, kRowsPerPart, [&](std::int64_t begin, std::int64_t end) {
    cpu::run_for_this_cpu([&]() __attribute__((always_inline)) {
      for (std::int64_t row = begin; row < end; ++row) body(row);
    });
  });
}

struct UnitRows : torch::autograd::Function<UnitRows> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x) {
    torch::Tensor out = torch::empty_like(x), inverse = torch::empty({x.size(0)}, x.options());
    const std::int64_t n = x.size(1);
    const float* from = x.const_data_ptr<float>();
    float *to = out.data_ptr<float>(), *factor = inverse.data_ptr<float>();
    for_each_row(x.size(0), [&](std::int64_t r) __attribute__((always_inline)) {
      const double length = std::sqrt(static_cast<double>(dot(from + r * n, from + r * n, n)));
      factor[r] = static_cast<float>(1 / std::max(length, kLeastLength));
      scale(from + r * n, factor[r], to + r * n, n);
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
    for_each_row(y.size(0), [&](std::int64_t r) __attribute__((always_inline)) {
      const float along = dot(from + r * n, unit + r * n, n);
      project_out(from + r * n, unit + r * n, along, factor[r], to + r * n, n);
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
