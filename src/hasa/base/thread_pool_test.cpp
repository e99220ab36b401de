#include "hasa/base/thread_pool.h"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <iterator>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

/// Sets the number of threads for one test.
class ThreadCount {
 public:
  explicit ThreadCount(std::size_t count) { set_thread_count(count); }
  ~ThreadCount() { set_thread_count(0); }
};

TEST(ParallelFor, CoversEveryItemOnceInPartsOfAtMostTheGrain) {
  const ThreadCount threads(4);
  for (const std::size_t size : {1, 2, 99, 100, 101, 1000}) {
    std::vector<std::atomic<int>> visits(size);
    std::atomic<bool> too_large = false;
    parallel_for(size, 10, [&](std::size_t begin, std::size_t end) {
      if (end <= begin || end - begin > 10) too_large = true;
      for (std::size_t i = begin; i < end; ++i) ++visits[i];
    });
    EXPECT_FALSE(too_large);
    for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(visits[i], 1) << "item " << i << " of " << size;
  }
}

TEST(ParallelFor, DoesNothingForNoItems) {
  parallel_for(0, 10, [](std::size_t, std::size_t) { ADD_FAILURE() << "called"; });
}

TEST(ParallelFor, StartsPartsInOrder) {
  const ThreadCount one(1);
  std::vector<std::size_t> begins;
  parallel_for(95, 10, [&](std::size_t begin, std::size_t) { begins.push_back(begin); });
  EXPECT_THAT(begins, ::testing::ElementsAre(0, 10, 20, 30, 40, 50, 60, 70, 80, 90));
}

TEST(ParallelFor, RunsPartsAtTheSameTime) {
  const ThreadCount two(2);
  std::atomic<int> arrived = 0;
  // Each of the two parts waits for the other, which one thread alone could not do.
  parallel_for(2, 1, [&](std::size_t, std::size_t) {
    ++arrived;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(120);
    while (arrived < 2 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    EXPECT_EQ(arrived, 2);
  });
}

TEST(ParallelFor, RethrowsTheExceptionOfTheEarliestPart) {
  const ThreadCount two(2);
  std::atomic<bool> second_threw = false;
  try {
    parallel_for(2, 1, [&](std::size_t begin, std::size_t) {
      if (begin == 1) {
        second_threw = true;
        throw std::runtime_error("second");
      }
      // The later part throws first in time.
      while (!second_threw) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      throw std::runtime_error("first");
    });
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "first");
  }
}

TEST(ParallelFor, StartsNoFurtherPartsAfterAnException) {
  const ThreadCount one(1);
  std::vector<std::size_t> begins;
  EXPECT_THROW(parallel_for(10, 1,
                            [&](std::size_t begin, std::size_t) {
                              begins.push_back(begin);
                              if (begin == 3) throw std::runtime_error("enough");
                            }),
               std::runtime_error);
  EXPECT_THAT(begins, ::testing::ElementsAre(0, 1, 2, 3));
}

TEST(ParallelFor, CanBeCalledFromWithinAPart) {
  const ThreadCount two(2);
  std::atomic<int> visits = 0;
  parallel_for(4, 1,
               [&](std::size_t, std::size_t) { parallel_for(4, 1, [&](std::size_t, std::size_t) { ++visits; }); });
  EXPECT_EQ(visits, 16);
}

TEST(ParallelFor, MayRunForSeveralCallersAtTheSameTime) {
  const ThreadCount four(4);
  std::atomic<int> visits = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 8; ++i) {
    callers.emplace_back([&] {
      for (int round = 0; round < 200; ++round) parallel_for(10, 1, [&](std::size_t, std::size_t) { ++visits; });
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(visits, 8 * 200 * 10);
}

TEST(ParallelFor, UsesNoMoreThreadsThanItIsAllowed) {
  const auto threads_seen = [] {
    std::mutex mutex;
    std::set<std::thread::id> seen;
    parallel_for(200, 1, [&](std::size_t, std::size_t) {
      const std::lock_guard lock(mutex);
      seen.insert(std::this_thread::get_id());
    });
    return seen.size();
  };
  {
    const ThreadCount many(6);
    threads_seen();
  }  // leaves five threads asleep
  const ThreadCount two(2);
  for (int round = 0; round < 50; ++round) EXPECT_LE(threads_seen(), 2U);
}

std::ptrdiff_t threads_of_this_process() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), std::filesystem::directory_iterator());
}

TEST(ParallelFor, KeepsItsThreadsFromCallToCall) {
  const ThreadCount three(3);
  const auto loop = [] { parallel_for(3, 1, [](std::size_t, std::size_t) {}); };
  loop();
  const std::ptrdiff_t before = threads_of_this_process();
  EXPECT_GE(before, 3);
  for (int round = 0; round < 100; ++round) loop();
  EXPECT_EQ(threads_of_this_process(), before);
}

}  // namespace
}  // namespace hasa
