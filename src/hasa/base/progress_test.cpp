#include "hasa/base/progress.h"

#include <thread>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

using ::testing::internal::CaptureStderr;
using ::testing::internal::GetCapturedStderr;

constexpr auto kLongEnough = std::chrono::milliseconds(520);

TEST(FormatDuration, ShowsMinutesAndSecondsAndHoursWhereThereAreAny) {
  EXPECT_EQ(format_duration(0), "0:00");
  EXPECT_EQ(format_duration(9.4), "0:09");
  EXPECT_EQ(format_duration(59.6), "1:00");
  EXPECT_EQ(format_duration(192), "3:12");
  EXPECT_EQ(format_duration(3599.5), "1:00:00");
  EXPECT_EQ(format_duration(3723), "1:02:03");
  EXPECT_EQ(format_duration(100 * 3600), "100:00:00");
  EXPECT_EQ(format_duration(-1), "0:00");
}

TEST(FormatCount, SetsACommaBeforeEveryThirdDigit) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1000), "1,000");
  EXPECT_EQ(format_count(123456), "123,456");
  EXPECT_EQ(format_count(12345678), "12,345,678");
  EXPECT_EQ(format_count(18446744073709551615U), "18,446,744,073,709,551,615");
}

TEST(Progress, ShowsNothingForAJobThatEndsAtOnce) {
  CaptureStderr();
  {
    Progress progress("encoding", 100, "texts");
    progress.advance(100);
  }
  EXPECT_EQ(GetCapturedStderr(), "");
}

TEST(Progress, LeavesOnePlainLineWithTheTotalWhereStderrIsNoTerminal) {
  CaptureStderr();
  {
    Progress progress("encoding", 5000, "texts");
    std::thread other([&] {
      for (int i = 0; i < 1000; ++i) progress.advance();
    });
    for (int i = 0; i < 1000; ++i) progress.advance(3);
    other.join();
    progress.set_note("loss 0.94");
    std::this_thread::sleep_for(kLongEnough);
    progress.advance(234);
    progress.finish();
    progress.finish();
  }
  EXPECT_THAT(GetCapturedStderr(),
              ::testing::MatchesRegex("encoding  4,234 texts in [0-9]:[0-9]+  [0-9,]+ texts/s  loss 0.94\n"));
}

TEST(Progress, ShowsNothingWhenTurnedOff) {
  CaptureStderr();
  set_progress_enabled(false);
  {
    Progress progress("encoding", 1, "texts");
    std::this_thread::sleep_for(kLongEnough);
  }
  set_progress_enabled(true);
  EXPECT_EQ(GetCapturedStderr(), "");
}

TEST(ClearProgressLine, WritesNothingWhenNoBarIsThere) {
  CaptureStderr();
  clear_progress_line();
  EXPECT_EQ(GetCapturedStderr(), "");
}

}  // namespace
}  // namespace hasa
