#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "hasa/ops/core/cpu_vector.h"
#include "hasa/ops/graph/path_update_kernels.h"

namespace hasa::kernels {
namespace {

using cpu::Vector;

/// A row's y and its moments, as the layer norm sees it.
struct NormalRow {
  float y[kMostPathColumns];
  float mean, inverse_spread, s, inverse_s;
};

[[gnu::always_inline]] inline void read_row(const PathUpdate& u, std::int64_t row, NormalRow& into) {
  const float* z = static_cast<const float*>(u.z) + row * u.parts * u.dim;
  into.s = u.scale[u.pairs[row] / u.queries];
  into.inverse_s = 1.0F / std::max(into.s, kLeastScale);
  Vector sum{};
  cpu::for_each_vector(u.dim, [&](std::int64_t i, std::int64_t count) __attribute__((always_inline)) {
    Vector y = cpu::load(z + i, count) + cpu::load(u.bias + i, count);
    if (u.parts == 3) {
      y += into.s * cpu::load(z + u.dim + i, count) + into.inverse_s * cpu::load(z + 2 * u.dim + i, count);
    }
    cpu::store(into.y + i, y, count);
    sum += y;
  });
  into.mean = cpu::sum(sum) / static_cast<float>(u.dim);
  float squares = 0;
  for (std::int64_t i = 0; i < u.dim; ++i) squares += (into.y[i] - into.mean) * (into.y[i] - into.mean);
  into.inverse_spread = 1.0F / std::sqrt(squares / static_cast<float>(u.dim) + kPathNormEpsilon);
}

[[gnu::always_inline]] inline void update_row(const PathUpdate& u, std::int64_t row, float* out) {
  NormalRow x;
  read_row(u, row, x);
  const float* before = row < u.rows_before ? static_cast<const float*>(u.before) + row * u.dim : nullptr;
  cpu::for_each_vector(u.dim, [&](std::int64_t i, std::int64_t count) __attribute__((always_inline)) {
    const Vector normal = (cpu::load(x.y + i, count) - x.mean) * x.inverse_spread;
    Vector h = normal * cpu::load(u.norm_weight + i, count) + cpu::load(u.norm_bias + i, count);
    h = cpu::greater(h, Vector{});
    if (before != nullptr) h += cpu::load(before + i, count);
    cpu::store(out + row * u.dim + i, h, count);
  });
}

/// Adds the row's part of the parameters' gradients to sums [3, dim].
[[gnu::always_inline]] inline void gradient_row(const PathUpdate& u, const PathUpdateGradient& g, std::int64_t row,
                                                float* sums) {
  NormalRow x;
  read_row(u, row, x);
  const float* out_grad = static_cast<const float*>(g.out_grad) + row * u.dim;
  float normal[kMostPathColumns], slope[kMostPathColumns];
  Vector total{}, product{};
  cpu::for_each_vector(u.dim, [&](std::int64_t i, std::int64_t count) __attribute__((always_inline)) {
    const Vector n = (cpu::load(x.y + i, count) - x.mean) * x.inverse_spread;
    const Vector weight = cpu::load(u.norm_weight + i, count);
    const Vector h = n * weight + cpu::load(u.norm_bias + i, count);
    const Vector grad = h > 0.0F ? cpu::load(out_grad + i, count) : Vector{};
    cpu::store(sums + u.dim + i, cpu::load(sums + u.dim + i, count) + grad * n, count);
    cpu::store(sums + 2 * u.dim + i, cpu::load(sums + 2 * u.dim + i, count) + grad, count);
    const Vector d = grad * weight;
    cpu::store(normal + i, n, count);
    cpu::store(slope + i, d, count);
    total += d;
    product += count == cpu::kLanes ? d * n : cpu::load(slope + i, count) * cpu::load(normal + i, count);
  });
  const float mean = cpu::sum(total) / static_cast<float>(u.dim);
  const float along = cpu::sum(product) / static_cast<float>(u.dim);
  float* z_grad = static_cast<float*>(g.z_grad) + row * u.parts * u.dim;
  cpu::for_each_vector(u.dim, [&](std::int64_t i, std::int64_t count) __attribute__((always_inline)) {
    const Vector y_grad =
        (cpu::load(slope + i, count) - mean - cpu::load(normal + i, count) * along) * x.inverse_spread;
    cpu::store(sums + i, cpu::load(sums + i, count) + y_grad, count);
    cpu::store(z_grad + i, y_grad, count);
    if (u.parts == 1) return;
    cpu::store(z_grad + u.dim + i, y_grad * x.s, count);
    cpu::store(z_grad + 2 * u.dim + i, y_grad * x.inverse_s, count);
  });
}

}  // namespace

void path_update_cpu(const PathUpdate& update, void* out) {
  at::parallel_for(0, update.rows, 256, [&](std::int64_t begin, std::int64_t end) {
    cpu::run_for_this_cpu([&]() __attribute__((always_inline)) {
      for (std::int64_t row = begin; row < end; ++row) update_row(update, row, static_cast<float*>(out));
    });
  });
}

void path_update_gradient_cpu(const PathUpdate& update, const PathUpdateGradient& gradient) {
  // Blocks of rows that depend on the rows alone, each with sums of its own, added up in order.
  const std::int64_t rows_each = std::max<std::int64_t>(256, (update.rows + kPathUpdateBlocks - 1) / kPathUpdateBlocks);
  const std::int64_t blocks = (update.rows + rows_each - 1) / rows_each, width = 3 * update.dim;
  at::parallel_for(0, blocks, 1, [&](std::int64_t begin, std::int64_t end) {
    cpu::run_for_this_cpu([&]() __attribute__((always_inline)) {
      for (std::int64_t block = begin; block < end; ++block) {
        float* sums = gradient.partial + block * width;
        std::fill_n(sums, width, 0.0F);
        const std::int64_t last = std::min(update.rows, (block + 1) * rows_each);
        for (std::int64_t row = block * rows_each; row < last; ++row) gradient_row(update, gradient, row, sums);
      }
    });
  });
  for (std::int64_t block = 0; block < blocks; ++block) {
    for (std::int64_t i = 0; i < width; ++i)
      gradient.sums[i / update.dim][i % update.dim] += gradient.partial[block * width + i];
  }
}

}  // namespace hasa::kernels
