#include "hasa/ops/core/random_rounding.h"

#include <bit>
#include <cmath>
#include <limits>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

constexpr std::uint32_t kDraws = 65536;

std::uint32_t rounded(float x, std::uint32_t draw) { return rounded_at_random(std::bit_cast<std::uint32_t>(x), draw); }
float as_float(std::uint32_t bfloat16) { return std::bit_cast<float>(bfloat16 << 16); }

TEST(RandomRounding, KeepsWhatBfloat16HasWhateverTheDraw) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float x : {0.0F, -0.0F, 1.0F, -1.5F, 0.0078125F, 1.0078125F, 3e38F, infinity, -infinity}) {
    const float kept = as_float(std::bit_cast<std::uint32_t>(x) >> 16);
    for (const std::uint32_t draw : {0U, 1U, 32768U, 65535U}) EXPECT_EQ(as_float(rounded(kept, draw)), kept);
  }
}

TEST(RandomRounding, GoesUpForAsManyDrawsAsTheNumberIsFarFromTheLower) {
  // Above 1 bfloat16 has steps of 1/128; on both sides of 0, and over a power of two.
  for (const float lower : {1.0F, -1.0F, 1.9921875F, -1.9921875F}) {
    const float upper = lower + std::copysign(0.0078125F, lower);
    for (const int eighths : {1, 4, 7}) {
      const float x = lower + (upper - lower) * static_cast<float>(eighths) / 8;
      std::uint32_t up = 0;
      for (std::uint32_t draw = 0; draw < kDraws; ++draw) {
        const float result = as_float(rounded(x, draw));
        ASSERT_TRUE(result == lower || result == upper) << x;
        up += result == upper ? 1 : 0;
      }
      EXPECT_EQ(up, kDraws / 8 * static_cast<std::uint32_t>(eighths));
    }
  }
}

TEST(RandomRounding, KeepsEveryNaN) {
  for (const std::uint32_t bits : {0x7fc00000U, 0x7f800001U, 0x7fffffffU, 0xffffffffU, 0xff800001U}) {
    for (const std::uint32_t draw : {0U, 65535U}) EXPECT_TRUE(std::isnan(as_float(rounded_at_random(bits, draw))));
  }
}

TEST(RandomRounding, HasCountersOfItsOwnForEveryEightNumbersOfARow) {
  EXPECT_EQ(rounding_counter(0, 0, 34), 0U);
  EXPECT_EQ(rounding_counter(0, 32, 34), 4U);
  EXPECT_EQ(rounding_counter(1, 0, 34), 5U);
  EXPECT_EQ(rounding_counter(3'000'000'000, 8, 16), 6'000'000'001U);
}

}  // namespace
}  // namespace hasa
