#pragma once

#include <cstdint>
#include <cstring>

#include "hasa/ops/core/cpu_vector.h"
#include "hasa/ops/core/philox.h"

// philox of sixteen counters at a time. Everything here is inlined into a loop that run_for_this_cpu compiles.

namespace hasa::cpu {

using Longs = std::uint64_t __attribute__((vector_size(64)));

/// The upper halves of x * by, lane by lane.
[[gnu::always_inline]] inline Unsigned upper_product(Unsigned x, std::uint64_t by) {
  const Longs pairs = __builtin_bit_cast(Longs, x);
  const Longs even = (pairs & 0xffffffffU) * by, odd = (pairs >> 32) * by;
  const Longs upper = (even >> 32) | (odd & 0xffffffff00000000U);
  return __builtin_bit_cast(Unsigned, upper);
}

/// Lanes of a and b in turn: those of their first halves, or of their second ones.
[[gnu::always_inline]] inline Unsigned first_in_turn(Unsigned a, Unsigned b) {
  return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
[[gnu::always_inline]] inline Unsigned second_in_turn(Unsigned a, Unsigned b) {
  return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}

/// out[i] = philox(counter + i, key) for i from 0 to 15.
[[gnu::always_inline]] inline void sixteen_philox(std::uint64_t counter, std::uint64_t key, EightDraws* out) {
  using Rounds = PhiloxRounds;
  const Unsigned lanes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const auto low = static_cast<std::uint32_t>(counter), high = static_cast<std::uint32_t>(counter >> 32);
  Unsigned c0 = lanes + low, c1 = Unsigned{} + high, c2 = {}, c3 = {};
  c1 = c0 < low ? c1 + 1U : c1;  // carried over
  auto k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < Rounds::kCount; ++round) {
    const Unsigned a = c0, b = c2;
    c0 = upper_product(b, Rounds::kSecond) ^ c1 ^ k0;
    c2 = upper_product(a, Rounds::kFirst) ^ c3 ^ k1;
    c1 = b * Rounds::kSecond;
    c3 = a * Rounds::kFirst;
    k0 += Rounds::kFirstKey;
    k1 += Rounds::kSecondKey;
  }
  // Four words of each counter next to each other.
  const Unsigned even[2] = {first_in_turn(c0, c2), second_in_turn(c0, c2)};
  const Unsigned odd[2] = {first_in_turn(c1, c3), second_in_turn(c1, c3)};
  for (int i = 0; i < 2; ++i) {
    const Unsigned words[2] = {first_in_turn(even[i], odd[i]), second_in_turn(even[i], odd[i])};
    std::memcpy(out + 8 * i, words, sizeof words);
  }
}

}  // namespace hasa::cpu
