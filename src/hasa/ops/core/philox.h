#pragma once

#include <cstdint>

#include "hasa/ops/core/host_device.h"

namespace hasa {

/// 128 random bits: what one call of the generator gives, 16 of them for each of eight values.
struct EightDraws {
  std::uint32_t words[4];

  /// A number below 65536; i from 0 to 7.
  HASA_HOST_DEVICE std::uint32_t operator[](int i) const { return (words[i / 2] >> (16 * (i % 2))) & 0xffffU; }
};

/// Of Philox4x32: what a round multiplies by, what it adds to the key, and how many rounds there are.
struct PhiloxRounds {
  static constexpr std::uint32_t kFirst = 0xD2511F53U, kSecond = 0xCD9E8D57U;
  static constexpr std::uint32_t kFirstKey = 0x9E3779B9U, kSecondKey = 0xBB67AE85U;
  static constexpr int kCount = 7;
};

/// Philox4x32 with 7 rounds (Salmon et al., 2011: the fewest that pass BigCrush): a function of counter and key
/// alone, so CPU and GPU draw the same bits, in any order, and draw them again when they are needed again.
HASA_HOST_DEVICE inline EightDraws philox(std::uint64_t counter, std::uint64_t key) {
  std::uint32_t c0 = static_cast<std::uint32_t>(counter), c1 = static_cast<std::uint32_t>(counter >> 32);
  std::uint32_t c2 = 0, c3 = 0;
  std::uint32_t k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < PhiloxRounds::kCount; ++round) {
    const std::uint64_t a = static_cast<std::uint64_t>(c0) * PhiloxRounds::kFirst;
    const std::uint64_t b = static_cast<std::uint64_t>(c2) * PhiloxRounds::kSecond;
    c0 = static_cast<std::uint32_t>(b >> 32) ^ c1 ^ k0;
    c1 = static_cast<std::uint32_t>(b);
    c2 = static_cast<std::uint32_t>(a >> 32) ^ c3 ^ k1;
    c3 = static_cast<std::uint32_t>(a);
    k0 += PhiloxRounds::kFirstKey;
    k1 += PhiloxRounds::kSecondKey;
  }
  return {{c0, c1, c2, c3}};
}

}  // namespace hasa
