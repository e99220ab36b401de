#include "hasa/ops/encoder/add_layer_norm.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/layer_norm.h>

#include <cmath>

#include "hasa/base/error.h"
#include "hasa/ops/core/cpu_vector.h"

namespace hasa {
namespace {

using cpu::BFloat16Bits;
using cpu::kLanes;
using cpu::Vector;
using torch::Tensor;

template <class Element>
struct Rows {
  const Element* x;
  const Element* residual;  // or null
  const Element* weight;
  const Element* bias;
  Element* out;
  std::int64_t width;
  float eps;
};

template <class Element>
[[gnu::always_inline]] inline Vector summed(const Rows<Element>& in, std::int64_t at) {
  const Vector x = cpu::load(in.x + at);
  return in.residual == nullptr ? x : x + cpu::load(in.residual + at);
}

/// Width is a multiple of the lanes. The row is in the first cache, so three passes cost little and the
/// variance is taken around the mean, which one pass could not do exactly.
template <class Element>
[[gnu::always_inline]] inline void norm_row(const Rows<Element>& in, std::int64_t row) {
  const std::int64_t begin = row * in.width;
  Vector total{};
  for (std::int64_t c = 0; c < in.width; c += kLanes) total += summed(in, begin + c);
  const float mean = cpu::sum(total) / static_cast<float>(in.width);
  Vector squares{};
  for (std::int64_t c = 0; c < in.width; c += kLanes) {
    const Vector centred = summed(in, begin + c) - mean;
    squares += centred * centred;
  }
  const float inverse = 1.0f / std::sqrt(cpu::sum(squares) / static_cast<float>(in.width) + in.eps);
  for (std::int64_t c = 0; c < in.width; c += kLanes) {
    const Vector normed = (summed(in, begin + c) - mean) * inverse;
    cpu::store(in.out + begin + c, normed * cpu::load(in.weight + c) + cpu::load(in.bias + c));
  }
}

template <class Element>
Tensor norm_cpu(const Tensor& x, const Tensor& residual, const Tensor& weight, const Tensor& bias, double eps) {
  const auto data = [](const Tensor& t) { return static_cast<const Element*>(t.const_data_ptr()); };
  Tensor out = at::empty_like(x);
  const Rows<Element> rows{data(x),
                           residual.defined() ? data(residual) : nullptr,
                           data(weight),
                           data(bias),
                           static_cast<Element*>(out.mutable_data_ptr()),
                           x.size(1),
                           static_cast<float>(eps)};
  at::parallel_for(0, x.size(0), 64, [&](std::int64_t first, std::int64_t last) {
    cpu::run_for_this_cpu([&]() __attribute__((always_inline)) {
      for (std::int64_t row = first; row < last; ++row) norm_row(rows, row);
    });
  });
  return out;
}

bool has_own_kernel(const Tensor& x, const Tensor& residual, const Tensor& weight, const Tensor& bias) {
  const auto plain = [&](const Tensor& t) { return t.is_contiguous() && t.scalar_type() == x.scalar_type(); };
  const auto wants_gradient = [](const Tensor& t) { return t.defined() && t.requires_grad(); };
  const bool gradient = at::GradMode::is_enabled() && (wants_gradient(x) || wants_gradient(residual) ||
                                                       wants_gradient(weight) || wants_gradient(bias));
  return x.is_cpu() && !gradient && x.size(1) % kLanes == 0 && plain(x) && plain(weight) && plain(bias) &&
         (!residual.defined() || plain(residual));
}

}  // namespace

Tensor add_layer_norm(const Tensor& x, const Tensor& residual, const Tensor& weight, const Tensor& bias, double eps) {
  HASA_CHECK(x.dim() == 2 && weight.dim() == 1 && weight.size(0) == x.size(1) && bias.sizes() == weight.sizes(), shape,
             "add_layer_norm: x must be [rows, width], weight and bias [width]");
  HASA_CHECK(!residual.defined() || residual.sizes() == x.sizes(), shape, "add_layer_norm: residual must be like x");
  if (has_own_kernel(x, residual, weight, bias)) {
    if (x.scalar_type() == torch::kFloat32) return norm_cpu<float>(x, residual, weight, bias, eps);
    if (x.scalar_type() == torch::kBFloat16) return norm_cpu<BFloat16Bits>(x, residual, weight, bias, eps);
  }
  return at::layer_norm(residual.defined() ? x + residual : x, {x.size(1)}, weight, bias, eps);
}

}  // namespace hasa
