#include "hasa/base/memory.h"

#include <vector>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

TEST(Memory, SizesAreReadAsTheyAreWritten) {
  EXPECT_EQ(parse_bytes("2G", "--memory"), std::int64_t{2} << 30);
  EXPECT_EQ(parse_bytes("1.5GiB", "--memory"), std::int64_t{3} << 29);
  EXPECT_EQ(parse_bytes("512m", "--memory"), std::int64_t{512} << 20);
  EXPECT_EQ(parse_bytes("64KB", "--memory"), 65536);
  EXPECT_EQ(parse_bytes("12345", "--memory"), 12345);
}

TEST(Memory, RejectsAnythingElseThanASizeByName) {
  for (const char* text : {"", "G", "-1G", "0", "2Q", "2GG", "nan", "1e300G", "2 G"})
    EXPECT_ERROR(parse_bytes(text, "--memory"), "--memory is \"");
}

TEST(Memory, SizesArePrintedInAUnitThatFits) {
  EXPECT_EQ(format_bytes(17), "17 bytes");
  EXPECT_EQ(format_bytes(3 << 19), "1.5 MiB");
  EXPECT_EQ(format_bytes(std::int64_t{219} << 20), "219 MiB");
}

TEST(Memory, ThePeakRemembersWhatWasGivenBack) {
  const std::int64_t before = peak_resident_bytes();
  EXPECT_GT(before, 1 << 20);
  {
    const std::vector<char> large(std::size_t{256} << 20, 'x');
  }
  EXPECT_GT(peak_resident_bytes(), before + (100 << 20));
  EXPECT_LE(resident_bytes(), peak_resident_bytes());
}

TEST(Memory, OfTheMachineIsMoreThanThisProcessHolds) { EXPECT_GT(machine_bytes(), resident_bytes()); }

}  // namespace
}  // namespace hasa
