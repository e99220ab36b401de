#include <ATen/Parallel.h>

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include "hasa/ops/core/philox_cpu.h"
#include "hasa/ops/core/random_rounding.h"
#include "hasa/ops/score/similarity_rows_cpu.h"
#include "hasa/ops/table/row_update_kernels.h"

namespace hasa::kernels {
namespace {

using cpu::Vector;

/// Tokens begin .. end name one row: the sum of its gradients.
template <class Terms, class Number>
[[gnu::always_inline]] inline void gradient_of_row(const RowUpdate& pass, std::int64_t begin, std::int64_t end,
                                                   const Number* row, float* gradient) {
  std::fill_n(gradient, pass.dim, 0.0F);
  // Tokens of a row rise, so the sampled come first.
  const std::int64_t* direct = std::lower_bound(pass.order + begin, pass.order + end, pass.sampled);
  const auto query = [&](std::int64_t j) __attribute__((always_inline)) {
    return pass.queries + pass.order[begin + j] / pass.columns * pass.dim;
  };
  const auto by = [&](std::int64_t j)
                      __attribute__((always_inline)) { return pass.coefficients[pass.order[begin + j]]; };
  add_slopes<Terms>(row, direct - (pass.order + begin), query, by, pass.dim, gradient);
  for (; direct != pass.order + end; ++direct) {
    const float* more = pass.direct + (*direct - pass.sampled) * pass.dim;
    cpu::for_each_vector(pass.dim, [&](std::int64_t at, std::int64_t count) __attribute__((always_inline)) {
      cpu::store(gradient + at, cpu::load(gradient + at, count) + cpu::load(more + at, count), count);
    });
  }
}

/// A row of the table, and the draws by which its numbers are rounded where they are bfloat16.
template <class Number>
struct RowToChange {
  std::int64_t id;
  Number* numbers;
  const EightDraws* draws;  // for eight numbers each, some more than it has

  [[gnu::always_inline]] void put(std::int64_t at, std::int64_t count, Vector x) const {
    if constexpr (std::is_same_v<Number, float>) {
      cpu::store(numbers + at, x, count);
    } else {
      cpu::Shorts low;  // sixteen draws in their order
      std::memcpy(&low, draws + at / 8, sizeof low);
      const cpu::Unsigned bits =
          rounded_at_random(__builtin_bit_cast(cpu::Unsigned, x), __builtin_convertvector(low, cpu::Unsigned));
      const auto halves = __builtin_convertvector(bits, cpu::Shorts);
      std::memcpy(numbers + at, &halves, static_cast<std::size_t>(count) * sizeof(Number));
    }
  }
};

/// step = x's change over the rate; body(at, count, gradient) -> step.
template <class Number, class Body>
[[gnu::always_inline]] inline void change_row(const RowUpdate& pass, const RowToChange<Number>& row,
                                              const float* gradient, const Body& body) {
  cpu::for_each_vector(pass.dim, [&](std::int64_t at, std::int64_t count) __attribute__((always_inline)) {
    const Vector step = body(at, count, cpu::load(gradient + at, count));
    row.put(at, count, cpu::load(row.numbers + at, count) * pass.shrink - step * pass.rate);
  });
}

template <class Number>
[[gnu::always_inline]] inline void apply_rule(const RowUpdate& pass, const RowToChange<Number>& row,
                                              const float* gradient) {
  const std::int64_t id = row.id;
  if (pass.rule == RowRule::row_adagrad) {
    Vector sum{};
    cpu::for_each_vector(pass.dim, [&](std::int64_t at, std::int64_t count) __attribute__((always_inline)) {
      const Vector g = cpu::load(gradient + at, count);
      sum += g * g;
    });
    pass.squares[id] += cpu::sum(sum) / static_cast<float>(pass.dim);
    const float over = 1.0F / (__builtin_sqrtf(pass.squares[id]) + kRuleEpsilon);
    change_row(pass, row, gradient,
               [&](std::int64_t, std::int64_t, Vector g) __attribute__((always_inline)) { return g * over; });
  } else if (pass.rule == RowRule::adagrad) {
    float* squares = pass.squares + id * pass.dim;
    change_row(pass, row, gradient, [&](std::int64_t at, std::int64_t count, Vector g) __attribute__((always_inline)) {
      const Vector square = cpu::load(squares + at, count) + g * g;
      cpu::store(squares + at, square, count);
      return g / (cpu::root(square) + kRuleEpsilon);
    });
  } else {
    float *squares = pass.squares + id * pass.dim, *means = pass.means + id * pass.dim;
    constexpr auto kMean = static_cast<float>(kAdamMean), kSquare = static_cast<float>(kAdamSquare);
    change_row(pass, row, gradient, [&](std::int64_t at, std::int64_t count, Vector g) __attribute__((always_inline)) {
      const Vector mean = cpu::load(means + at, count) * kMean + g * (1 - kMean);
      const Vector square = cpu::load(squares + at, count) * kSquare + g * g * (1 - kSquare);
      cpu::store(means + at, mean, count);
      cpu::store(squares + at, square, count);
      return mean / (cpu::root(square * pass.square_correction) + kAdamEpsilon);
    });
  }
}

template <class Terms, class Number>
void update_each(const RowUpdate& pass, const std::vector<std::int64_t>& starts) {
  constexpr bool kRounds = !std::is_same_v<Number, float>;
  at::parallel_for(0, static_cast<std::int64_t>(starts.size()) - 1, 64, [&](std::int64_t first, std::int64_t last) {
    std::vector<float> gradient(static_cast<std::size_t>(pass.dim));
    std::vector<EightDraws> draws(kRounds ? static_cast<std::size_t>(cpu::round_up((pass.dim + 7) / 8)) : 0);
    cpu::run_for_this_cpu([&]() __attribute__((always_inline)) {
      for (std::int64_t k = first; k < last; ++k) {
        const std::int64_t begin = starts[static_cast<std::size_t>(k)], end = starts[static_cast<std::size_t>(k) + 1];
        const std::int64_t id = pass.sorted[begin];
        Number* row = static_cast<Number*>(pass.table) + id * pass.dim;
        gradient_of_row<Terms>(pass, begin, end, row, gradient.data());
        const std::uint64_t counter = rounding_counter(pass.first_row + id, 0, pass.dim);
        for (std::size_t i = 0; i < draws.size(); i += 16) cpu::sixteen_philox(counter + i, pass.seed, &draws[i]);
        apply_rule<Number>(pass, {id, row, draws.data()}, gradient.data());
      }
    });
  });
}

}  // namespace

void update_rows_cpu(const RowUpdate& pass) {
  std::vector<std::int64_t> starts;  // of each row's tokens
  for (std::int64_t i = 0; i < pass.tokens; ++i) {
    if (i == 0 || pass.sorted[i] != pass.sorted[i - 1]) starts.push_back(i);
  }
  starts.push_back(pass.tokens);
  with_terms(pass.similarity, [&](auto terms) {
    using Terms = decltype(terms);
    if (pass.is_bfloat16) {
      update_each<Terms, cpu::BFloat16Bits>(pass, starts);
    } else {
      update_each<Terms, float>(pass, starts);
    }
  });
}

}  // namespace hasa::kernels
