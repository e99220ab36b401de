#include "hasa/base/stop_signal.h"

#include "hasa/base/testing.h"

namespace hasa {
namespace {

volatile std::sig_atomic_t seen_by_old_handler = 0;

TEST(StopSignal, TurnsASignalIntoARequest) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const StopSignal stop;
    EXPECT_FALSE(stop.requested());
    std::raise(signal);
    EXPECT_TRUE(stop.requested());
  }
}

TEST(StopSignal, LetsASecondSignalEndTheProgram) {
  EXPECT_EXIT(
      {
        const StopSignal stop;
        std::raise(SIGTERM);
        std::raise(SIGTERM);
      },
      ::testing::KilledBySignal(SIGTERM), "");
}

TEST(StopSignal, LeavesSighupIgnoredWhereItIsAsUnderNohup) {
  const auto before = std::signal(SIGHUP, SIG_IGN);
  {
    const StopSignal stop;
    std::raise(SIGHUP);
    EXPECT_FALSE(stop.requested());
  }
  std::signal(SIGHUP, before);
}

TEST(StopSignal, PutsBackWhatHandledTheSignalsBefore) {
  const auto before = std::signal(SIGINT, [](int) { seen_by_old_handler = 1; });
  {
    const StopSignal stop;
    std::raise(SIGINT);
    EXPECT_EQ(seen_by_old_handler, 0);
  }
  std::raise(SIGINT);
  EXPECT_EQ(seen_by_old_handler, 1);
  std::signal(SIGINT, before);
}

}  // namespace
}  // namespace hasa
