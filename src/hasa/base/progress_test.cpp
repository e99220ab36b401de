#include "hasa/base/progress.h"

#include <thread>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

using ::testing::internal::CaptureStderr;
using ::testing::internal::GetCapturedStderr;

constexpr auto kLongEnough = std::chrono::milliseconds(520);

TEST(Progress, ShowsNothingForAJobThatEndsAtOnce) {
  std::string shown = "nothing was tried";
  for (int tries = 0; tries < 20 && !shown.empty(); ++tries) {  // a busy machine may hold one up for half a second
    CaptureStderr();
    {
      Progress progress("encoding", 100, "texts");
      progress.advance(100);
    }
    shown = GetCapturedStderr();
  }
  EXPECT_EQ(shown, "");
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
