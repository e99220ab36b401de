#pragma once

#include <cstdint>

#include "hasa/ops/similarity_terms.h"

// Rows against a row, sixteen floats at a time. Everything here is inlined into a loop that run_for_this_cpu compiles.

namespace hasa::kernels {

constexpr std::int64_t kRowsAtOnce = 4;  // sums that are under way together hide each other's latency

/// The numbers of `parts` (one or two) halves of a row at place i.
template <int kParts>
[[gnu::always_inline]] inline void load_place(const float* row, std::int64_t i, std::int64_t half, std::int64_t count,
                                              cpu::Vector* out) {
  out[0] = cpu::load(row + i, count);
  if constexpr (kParts == 2) out[1] = cpu::load(row + half + i, count);
}

/// out[k] = similarity of x and rows[k]. One order of sums whatever kRows is. Lanes behind the end of a row hold zeros
/// in both, which add nothing to any similarity.
template <class Terms, std::int64_t kRows>
[[gnu::always_inline]] inline void score_rows(const float* x, const float* const* rows, std::int64_t dim, float* out) {
  constexpr int kParts = Terms::kParts;
  const std::int64_t half = dim / kParts;
  cpu::Vector sums[kRows] = {};
  cpu::for_each_vector(half, [&](std::int64_t i, std::int64_t count) __attribute__((always_inline)) {
    cpu::Vector a[kParts], b[kParts];
    load_place<kParts>(x, i, half, count, a);
    for (std::int64_t k = 0; k < kRows; ++k) {
      load_place<kParts>(rows[k], i, half, count, b);
      sums[k] += Terms::term(a, b);
    }
  });
  for (std::int64_t k = 0; k < kRows; ++k) out[k] = Terms::score(cpu::sum(sums[k]));
}

/// sum += coefficient * slope(x, y)
template <class Terms>
[[gnu::always_inline]] inline void add_slope_of_row(const float* x, const float* y, std::int64_t dim, float coefficient,
                                                    float* sum) {
  constexpr int kParts = Terms::kParts;
  const std::int64_t half = dim / kParts;
  cpu::for_each_vector(half, [&](std::int64_t i, std::int64_t count) __attribute__((always_inline)) {
    cpu::Vector a[kParts], b[kParts], s[kParts];
    load_place<kParts>(x, i, half, count, a);
    load_place<kParts>(y, i, half, count, b);
    load_place<kParts>(sum, i, half, count, s);
    Terms::add_slope(a, b, coefficient, s);
    cpu::store(sum + i, s[0], count);
    if constexpr (kParts == 2) cpu::store(sum + half + i, s[1], count);
  });
}

}  // namespace hasa::kernels
