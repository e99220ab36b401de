#pragma once

#include <cstdint>
#include <type_traits>

#include "hasa/ops/score/similarity_terms.h"

// Rows against a row, sixteen floats at a time; either may be of bfloat16 numbers, which are floats once they are
// loaded. Everything here is inlined into a loop that run_for_this_cpu compiles.

namespace hasa::kernels {

constexpr std::int64_t kRowsAtOnce = 4;  // sums that are under way together hide each other's latency

/// The numbers of `parts` (one or two) halves of a row at place i.
template <int kParts, class Number>
[[gnu::always_inline]] inline void load_place(const Number* row, std::int64_t i, std::int64_t half, std::int64_t count,
                                              cpu::Vector* out) {
  out[0] = cpu::load(row + i, count);
  if constexpr (kParts == 2) out[1] = cpu::load(row + half + i, count);
}

/// out[k] = similarity of x and rows[k]. One order of sums whatever kRows is. Lanes behind the end of a row hold zeros
/// in both, which add nothing to any similarity.
template <class Terms, std::int64_t kRows, class Number>
[[gnu::always_inline]] inline void score_rows(const float* x, const Number* const* rows, std::int64_t dim, float* out) {
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

/// sum += coefficients[k] * slope(x, rows[k]) for one k after the other; the sum is in registers meanwhile.
template <class Terms, std::int64_t kRows, class Own, class Other>
[[gnu::always_inline]] inline void add_slopes_of_rows(const Own* x, const Other* const* rows, std::int64_t dim,
                                                      const float* coefficients, float* sum) {
  constexpr int kParts = Terms::kParts;
  const std::int64_t half = dim / kParts;
  cpu::for_each_vector(half, [&](std::int64_t i, std::int64_t count) __attribute__((always_inline)) {
    cpu::Vector a[kParts], b[kParts], s[kParts];
    load_place<kParts>(x, i, half, count, a);
    load_place<kParts>(sum, i, half, count, s);
    for (std::int64_t k = 0; k < kRows; ++k) {
      load_place<kParts>(rows[k], i, half, count, b);
      Terms::add_slope(a, b, coefficients[k], s);
    }
    cpu::store(sum + i, s[0], count);
    if constexpr (kParts == 2) cpu::store(sum + half + i, s[1], count);
  });
}

/// sum += coefficient(j) * slope(x, row(j)) for j in [0, count).
template <class Terms, class Own, class Row, class Coefficient>
[[gnu::always_inline]] inline void add_slopes(const Own* x, std::int64_t count, const Row& row,
                                              const Coefficient& coefficient, std::int64_t dim, float* sum) {
  using Other = std::remove_pointer_t<decltype(row(0))>;  // const
  std::int64_t j = 0;
  for (; j + kRowsAtOnce <= count; j += kRowsAtOnce) {
    Other* rows[kRowsAtOnce];
    float coefficients[kRowsAtOnce];
    for (std::int64_t k = 0; k < kRowsAtOnce; ++k) {
      rows[k] = row(j + k);
      coefficients[k] = coefficient(j + k);
    }
    add_slopes_of_rows<Terms, kRowsAtOnce>(x, rows, dim, coefficients, sum);
  }
  for (; j < count; ++j) {
    Other* one = row(j);
    const float by = coefficient(j);
    add_slopes_of_rows<Terms, 1>(x, &one, dim, &by, sum);
  }
}

}  // namespace hasa::kernels
