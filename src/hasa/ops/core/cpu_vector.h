#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

// Sixteen floats at a time, written once for every x86-64 chip: the body of a kernel is an always-inline
// template over these vectors, and run_for_this_cpu() compiles it three times (AVX-512, AVX2, any) and calls
// the best the chip has. No -march=native, no ifunc (sanitizers do not survive those).

namespace hasa::cpu {

constexpr std::int64_t kLanes = 16;
using Vector = float __attribute__((vector_size(64)));
using Integers = std::int32_t __attribute__((vector_size(64)));
using Unsigned = std::uint32_t __attribute__((vector_size(64)));
using Shorts = std::uint16_t __attribute__((vector_size(32)));

/// The bits of a bfloat16: the upper half of a float.
struct BFloat16Bits {
  std::uint16_t bits;
};

constexpr std::int64_t round_up(std::int64_t value) { return (value + kLanes - 1) / kLanes * kLanes; }

[[gnu::always_inline]] inline float to_float(float x) { return x; }
[[gnu::always_inline]] inline float to_float(BFloat16Bits x) {
  return __builtin_bit_cast(float, static_cast<std::uint32_t>(x.bits) << 16);
}

[[gnu::always_inline]] inline Vector splat(float x) { return Vector{} + x; }
[[gnu::always_inline]] inline Vector load(const float* from) {
  Vector x;
  std::memcpy(&x, from, sizeof x);
  return x;
}
[[gnu::always_inline]] inline Vector load(const BFloat16Bits* from) {
  Shorts x;
  std::memcpy(&x, from, sizeof x);
  const Unsigned bits = __builtin_convertvector(x, Unsigned) << 16;
  return __builtin_bit_cast(Vector, bits);
}
[[gnu::always_inline]] inline void store(float* to, Vector x) { std::memcpy(to, &x, sizeof x); }
/// Rounds to nearest, ties to even; NaN stays NaN.
[[gnu::always_inline]] inline void store(BFloat16Bits* to, Vector x) {
  const Unsigned bits = __builtin_bit_cast(Unsigned, x);
  const Unsigned rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  const Unsigned safe = x != x ? Unsigned{} + 0x7fc0 : rounded;
  const Shorts halves = __builtin_convertvector(safe, Shorts);
  std::memcpy(to, &halves, sizeof halves);
}
[[gnu::always_inline]] inline BFloat16Bits to_bfloat16(float x) {
  const auto bits = __builtin_bit_cast(std::uint32_t, x);
  if (x != x) return {0x7fc0};
  return {static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16)};
}
[[gnu::always_inline]] inline void store_one(float* to, float x) { *to = x; }
[[gnu::always_inline]] inline void store_one(BFloat16Bits* to, float x) { *to = to_bfloat16(x); }

/// The first `count` lanes, zero behind them; the last, shorter part of a row.
[[gnu::always_inline]] inline Vector load(const float* from, std::int64_t count) {
  if (count == kLanes) return load(from);
  Vector x{};
  std::memcpy(&x, from, static_cast<std::size_t>(count) * sizeof(float));
  return x;
}
[[gnu::always_inline]] inline Vector load(const BFloat16Bits* from, std::int64_t count) {
  if (count == kLanes) return load(from);
  BFloat16Bits padded[kLanes] = {};
  std::memcpy(padded, from, static_cast<std::size_t>(count) * sizeof(BFloat16Bits));
  return load(padded);
}
[[gnu::always_inline]] inline void store(float* to, Vector x, std::int64_t count) {
  std::memcpy(to, &x, static_cast<std::size_t>(count) * sizeof(float));
}
/// Calls body(first, count), an always-inline lambda, for each vector's worth of n elements; only the last
/// count may be below kLanes.
template <class Body>
[[gnu::always_inline]] inline void for_each_vector(std::int64_t n, const Body& body) {
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) body(i, kLanes);
  if (i < n) body(i, n - i);
}

[[gnu::always_inline]] inline Vector greater(Vector a, Vector b) { return a > b ? a : b; }
/// Each lane gets the one 8, 4, 2 or 1 away: four steps bring all sixteen together in a fixed order.
[[gnu::always_inline]] inline Vector turn8(Vector x) {
  return __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
}
[[gnu::always_inline]] inline Vector turn4(Vector x) {
  return __builtin_shufflevector(x, x, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11);
}
[[gnu::always_inline]] inline Vector turn2(Vector x) {
  return __builtin_shufflevector(x, x, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
}
[[gnu::always_inline]] inline Vector turn1(Vector x) {
  return __builtin_shufflevector(x, x, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
}
[[gnu::always_inline]] inline float sum(Vector x) {
  x += turn8(x);
  x += turn4(x);
  x += turn2(x);
  x += turn1(x);
  return x[0];
}
[[gnu::always_inline]] inline float greatest(Vector x) {
  x = greater(x, turn8(x));
  x = greater(x, turn4(x));
  x = greater(x, turn2(x));
  x = greater(x, turn1(x));
  return x[0];
}

/// e^x for x <= 0, within 2 units in the last place; below -87 it is 2^-126 or so instead of less.
[[gnu::always_inline]] inline Vector exp_of_negative(Vector x) {
  const Vector lowest = splat(-87.0f);
  x = x < lowest ? lowest : x;
  // Adding and taking off 1.5 * 2^23 rounds to an integer, whose bits then make the power of two.
  const Vector magic = splat(12582912.0f);
  const Vector shifted = x * 1.44269504088896341f + magic;
  const Vector n = shifted - magic;
  const Vector r = x - n * 0.693359375f + n * 2.12194440e-4f;
  Vector p = splat(1.9875691500e-4f);
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + r + 1.0f;
  const Integers power = (__builtin_bit_cast(Integers, shifted) - 0x4B400000 + 127) << 23;
  return p * __builtin_bit_cast(Vector, power);
}

/// 1 / sqrt(x) within 2 units in the last place, for x >= 0; a large number at 0. A guess from the bits, improved three
/// times: no loop over a library's sqrt becomes vectors while that may set errno.
[[gnu::always_inline]] inline Vector inverse_root(Vector x) {
  const Integers guess = 0x5f375a86 - (__builtin_bit_cast(Integers, x) >> 1);
  Vector y = __builtin_bit_cast(Vector, guess);
  const Vector half = x * 0.5f;
  for (int i = 0; i < 3; ++i) y = y * (1.5f - half * y * y);
  return y;
}
[[gnu::always_inline]] inline Vector root(Vector x) { return x * inverse_root(x); }

template <class Body>
__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"))) void run_avx512(const Body& body) {
  body();
}
template <class Body>
__attribute__((target("avx2,fma"))) void run_avx2(const Body& body) {
  body();
}

/// 2: AVX-512, 1: AVX2, 0: any x86-64 chip. ATEN_CPU_CAPABILITY=default or =avx2 holds these kernels to it as it does
/// LibTorch's.
inline int vector_level() {
  static const int level = [] {
    const char* const wish = std::getenv("ATEN_CPU_CAPABILITY");
    const int most = wish == nullptr                     ? 2
                     : std::strcmp(wish, "default") == 0 ? 0
                     : std::strcmp(wish, "avx2") == 0    ? 1
                                                         : 2;
    __builtin_cpu_init();
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const bool avx512 = avx2 && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                        __builtin_cpu_supports("avx512dq");
    return std::min(most, avx512 ? 2 : avx2 ? 1 : 0);
  }();
  return level;
}

/// Calls body(), a lambda marked always_inline, compiled for the widest vectors of this chip.
template <class Body>
void run_for_this_cpu(const Body& body) {
  const int level = vector_level();
  if (level == 2) return run_avx512(body);
  if (level == 1) return run_avx2(body);
  body();
}

}  // namespace hasa::cpu
