#pragma once

#include <cstdint>

#include "hasa/ops/core/philox.h"

// Stochastic rounding: a float becomes one of the two bfloat16 numbers around it, each with a
// probability proportional to how near it is. On average nothing is lost: of a hundred updates
// by a hundredth of bfloat16's resolution, one takes effect. A number that bfloat16 can represent is unchanged.
//
// Number c of row r of a table [rows, d] takes draw c % 8 of philox(r * ceil(d / 8) + c / 8, seed), so the same numbers
// are rounded the same way on every device and by any number of threads.

namespace hasa {

/// Of the draws for numbers column .. column + 7 of a row, column a multiple of 8.
HASA_HOST_DEVICE inline std::uint64_t rounding_counter(std::int64_t row, std::int64_t column, std::int64_t dim) {
  return static_cast<std::uint64_t>(row * ((dim + 7) / 8) + column / 8);
}

/// The bits of a float and a draw below 65536 -> those of a bfloat16; one of each, or a vector of them. The fraction
/// below bfloat16's last place, in 65536ths, is the chance that the draw carries over into it. Infinity and NaN stay.
template <class Bits>
HASA_HOST_DEVICE [[gnu::always_inline]] inline Bits rounded_at_random(Bits bits, Bits draw) {
  const Bits not_a_number = Bits{} + 0x7fc0U;
  return (bits & 0x7fffffffU) > 0x7f800000U ? not_a_number : (bits + draw) >> 16;
}

}  // namespace hasa
