#include "hasa/page/number.h"

#include "hasa/base/testing.h"

namespace hasa {
namespace {

TEST(FormatShare, PrintsAsTheLiteratureDoes) {
  EXPECT_EQ(format_share(0.5966), ".597");
  EXPECT_EQ(format_share(1), "1.000");
}

TEST(FormatShort, KeepsThreeDigits) {
  EXPECT_EQ(format_short(0.05), "0.05");
  EXPECT_EQ(format_short(1.5), "1.5");
  EXPECT_EQ(format_short(1234), "1234");
  EXPECT_EQ(format_short(20000), "20k");
  EXPECT_EQ(format_short(3e6), "3M");
  EXPECT_EQ(format_short(-1e-17), "0");  // what rounding leaves of a tick at nought
}

TEST(FormatPowerOfTwo, IsShortEnoughForAColumn) {
  EXPECT_EQ(format_power_of_two(0), "0");
  EXPECT_EQ(format_power_of_two(512), "512");
  EXPECT_EQ(format_power_of_two(1024), "1k");
  EXPECT_EQ(format_power_of_two(1 << 18), "256k");
  EXPECT_EQ(format_power_of_two(1 << 20), "1M");
}

TEST(FormatWhole, SetsThousandsApart) {
  EXPECT_EQ(format_whole(1234567), "1,234,567");
  EXPECT_EQ(format_whole(-1234), "-1,234");
}

}  // namespace
}  // namespace hasa
