#include "hasa/base/number_in.h"

#include <cstdint>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

using ::testing::Optional;

TEST(NumberIn, IsAWholeTextOrNone) {
  EXPECT_THAT(number_in<std::int64_t>("-12"), Optional(-12));
  EXPECT_THAT(number_in<double>("2.5e-3"), Optional(2.5e-3));
  for (const char* text : {"", " 1", "1 ", "1x", "+1", "1.5"})
    EXPECT_EQ(number_in<std::int64_t>(text), std::nullopt) << text;
}

TEST(NumberIn, IsNoneForValuesOutOfRangeOfTheType) {
  EXPECT_EQ(number_in<std::int64_t>("9223372036854775808"), std::nullopt);
  EXPECT_THAT(number_in<std::uint64_t>("9223372036854775808"), Optional(std::uint64_t{1} << 63));
  EXPECT_EQ(number_in<std::uint64_t>("-1"), std::nullopt);
}

}  // namespace
}  // namespace hasa
