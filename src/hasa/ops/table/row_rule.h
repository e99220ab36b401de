#pragma once

#include <cstdint>

namespace hasa {

/// How a row x changes by its gradient g at rate a; numbers are column by column unless said otherwise. With weight
/// decay d, x <- x (1 - a d) first.
///
///   adam         m <- .9 m + .1 g,  v <- .999 v + .001 g^2,  x <- x - a m' / (sqrt(v') + eps), with
///                m' = m / (1 - .9^t) and v' = v / (1 - .999^t) at step t of the table
///   adagrad      v <- v + g^2,  x <- x - a g / (sqrt(v) + eps)
///   row_adagrad  the same with one v for the row and the mean of g^2 over its columns: 4 bytes a row are kept
enum class RowRule : std::uint8_t { adam, adagrad, row_adagrad };

constexpr float kRuleEpsilon = 1e-10F;
constexpr float kAdamEpsilon = 1e-8F;
constexpr double kAdamMean = 0.9;
constexpr double kAdamSquare = 0.999;

struct RowStep {
  RowRule rule = RowRule::adagrad;
  double rate = 0.1;
  double decay = 0;
  std::int64_t step = 1;  // adam: t, from 1
  std::uint64_t seed =
      0;  // of how a bfloat16 table's numbers are rounded (ops/core/random_rounding.h); another each step
  std::int64_t first_row = 0;  // of a table that is a part of one: its place there, by which its numbers are rounded
};

}  // namespace hasa
