#include "hasa/train/prefetch.h"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <stdexcept>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

TEST(Prefetch, GivesTheStepsInOrderAndStartsAnewWhereAnotherIsAskedFor) {
  Prefetch<std::int64_t> ahead([](std::int64_t step) { return step * step; }, 3);
  for (std::int64_t step = 5; step < 50; ++step) EXPECT_EQ(ahead.take(step), step * step);
  for (std::int64_t step = 10; step < 20; ++step) EXPECT_EQ(ahead.take(step), step * step);
}

TEST(Prefetch, PrefetchesUpToItsDepthAndLimit) {
  std::atomic<std::int64_t> latest = -1;
  const auto make = [&](std::int64_t step) {
    latest = step;
    return step;
  };
  // It gets as far as `expected`, however busy the machine is, and then no farther.
  const auto settles_at = [&](std::int64_t expected) {
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (latest < expected && std::chrono::steady_clock::now() < patience) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return latest == expected;
  };
  Prefetch<std::int64_t> ahead(make, 4);
  ahead.set_limit(3);
  ahead.take(0);
  EXPECT_TRUE(settles_at(2)) << latest;
  ahead.set_limit(100);
  EXPECT_TRUE(settles_at(4)) << latest;
}

TEST(Prefetch, ThrowsWhatMakingTheStepThrew) {
  Prefetch<int> ahead(
      [](std::int64_t step) {
        if (step == 2) throw std::runtime_error("step two");
        return 1;
      },
      2);
  ahead.take(0);
  ahead.take(1);
  EXPECT_THROW(ahead.take(2), std::runtime_error);
  EXPECT_EQ(ahead.take(3), 1);
}

TEST(Prefetch, ReportsThatNoThreadCanBeStarted) {
  pthread_attr_t usual, too_large;
  ASSERT_EQ(::pthread_getattr_default_np(&usual), 0);
  ASSERT_EQ(::pthread_getattr_default_np(&too_large), 0);
  ASSERT_EQ(::pthread_attr_setstacksize(&too_large, std::size_t{1} << 46), 0);  // no memory has room for it
  ASSERT_EQ(::pthread_setattr_default_np(&too_large), 0);
  EXPECT_ERROR(Prefetch<int>([](std::int64_t) { return 1; }), "cannot start a prefetching thread");
  ::pthread_setattr_default_np(&usual);
}

}  // namespace
}  // namespace hasa
