#include <ATen/Parallel.h>

#include <algorithm>
#include <vector>

#include "hasa/ops/core/cpu_vector.h"
#include "hasa/ops/graph/relational_mean_kernels.h"

namespace hasa::kernels {
namespace {

constexpr std::int64_t kEdgesPerPart = 4096;

[[gnu::always_inline]] inline bool kept(const EdgeView& edges, std::int64_t edge) {
  return edges.keep == nullptr || edges.keep[edges.triple[edge]];
}

/// out += scale * a * b, elementwise.
[[gnu::always_inline]] inline void add_product(std::int64_t dim, float scale, const float* a, const float* b,
                                               float* out) {
  cpu::for_each_vector(dim, [&](std::int64_t i, std::int64_t count) __attribute__((always_inline)) {
    const cpu::Vector product = scale * cpu::load(a + i, count) * cpu::load(b + i, count);
    cpu::store(out + i, cpu::load(out + i, count) + product, count);
  });
}

[[gnu::always_inline]] inline void scale_row(std::int64_t dim, float scale, float* row) {
  cpu::for_each_vector(dim, [&](std::int64_t i, std::int64_t count) __attribute__((always_inline)) {
    cpu::store(row + i, cpu::load(row + i, count) * scale, count);
  });
}

[[gnu::always_inline]] inline void gather_row(const EdgeView& edges, const GatherArguments& a, std::int64_t e) {
  const std::int64_t dim = edges.dim;
  float* out = a.out + e * dim;
  std::fill(out, out + dim, 0.0F);
  for (std::int64_t k = edges.offsets[e]; k < edges.offsets[e + 1]; ++k) {
    if (!kept(edges, k)) continue;
    const std::int64_t n = edges.neighbour[k];
    std::int64_t r = edges.relation[k];
    if (a.inverse_relations) r = r < edges.relations ? r + edges.relations : r - edges.relations;
    const float scale = a.source_scale != nullptr ? a.source_scale[n] : 1.0F;
    add_product(dim, scale, a.rows + n * dim, a.weights + r * dim, out);
  }
  if (a.own_scale != nullptr) scale_row(dim, a.own_scale[e], out);
}

}  // namespace

void inverse_counts_cpu(const EdgeView& edges, float* inverse_count) {
  at::parallel_for(0, edges.entities, 1024, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t e = begin; e < end; ++e) {
      std::int64_t count = 0;
      for (std::int64_t k = edges.offsets[e]; k < edges.offsets[e + 1]; ++k) count += kept(edges, k) ? 1 : 0;
      inverse_count[e] = 1.0F / static_cast<float>(std::max<std::int64_t>(1, count));
    }
  });
}

void gather_cpu(const EdgeView& edges, const GatherArguments& a) {
  at::parallel_for(0, edges.entities, 64, [&](std::int64_t begin, std::int64_t end) {
    cpu::run_for_this_cpu([&]() __attribute__((always_inline)) {
      for (std::int64_t e = begin; e < end; ++e) gather_row(edges, a, e);
    });
  });
}

void weight_gradient_cpu(const EdgeView& edges, const float* grad, const float* inverse_count, const float* values,
                         float* out) {
  // Parts of fixed size, each with sums of its own, added up in order: the same result for any number of threads.
  struct Part {
    std::int64_t relation, begin, end;
  };
  const std::int64_t dim = edges.dim;
  std::vector<Part> parts;
  for (std::int64_t r = 0; r < 2 * edges.relations; ++r) {
    for (std::int64_t k = edges.relation_offsets[r]; k < edges.relation_offsets[r + 1]; k += kEdgesPerPart) {
      parts.push_back({r, k, std::min(k + kEdgesPerPart, edges.relation_offsets[r + 1])});
    }
  }
  std::vector<float> sums(parts.size() * static_cast<std::size_t>(dim), 0.0F);
  at::parallel_for(0, static_cast<std::int64_t>(parts.size()), 1, [&](std::int64_t begin, std::int64_t end) {
    cpu::run_for_this_cpu([&]() __attribute__((always_inline)) {
      for (std::int64_t p = begin; p < end; ++p) {
        for (std::int64_t i = parts[p].begin; i < parts[p].end; ++i) {
          const std::int64_t k = edges.by_relation[i];
          if (!kept(edges, k)) continue;
          const std::int64_t e = edges.source[k];
          add_product(dim, inverse_count[e], grad + e * dim, values + edges.neighbour[k] * dim, &sums[p * dim]);
        }
      }
    });
  });
  std::fill(out, out + 2 * edges.relations * dim, 0.0F);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    for (std::int64_t i = 0; i < dim; ++i) out[parts[p].relation * dim + i] += sums[p * dim + i];
  }
}

}  // namespace hasa::kernels
