#include "hasa/dist/meeting.h"

#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <thread>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "hasa/base/testing.h"
#include "hasa/dist/job.h"

namespace hasa {
namespace {

using std::chrono::milliseconds;
constexpr auto kPatience = std::chrono::minutes(2);

/// The prefix that each rank is given where `size` of them meet at the store.
std::map<int, std::string> prefixes(c10d::Store& store, int size) {
  std::map<int, std::string> found;
  std::mutex mutex;
  std::vector<std::thread> threads;
  for (int rank = size - 1; rank >= 0; --rank) {
    threads.emplace_back([&, rank] {
      const std::string prefix = meet(store, {.rank = rank, .size = size}, kPatience);
      const std::lock_guard lock(mutex);
      found[rank] = prefix;
    });
  }
  for (std::thread& thread : threads) thread.join();
  return found;
}

class MeetingTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!can_join_jobs()) GTEST_SKIP() << "built without c10d";
  }
  c10d::HashStore store_;
};

TEST_F(MeetingTest, GivesAllOnePrefixAndEachStartAnotherAlsoWithFewerProcesses) {
  std::vector<std::string> starts;
  for (const int size : {3, 3, 2}) {
    const auto found = prefixes(store_, size);
    for (const auto& [rank, prefix] : found) EXPECT_EQ(prefix, found.at(0)) << rank;
    starts.push_back(found.at(0));
  }
  EXPECT_NE(starts[0], starts[1]);
  EXPECT_NE(starts[1], starts[2]);
}

TEST_F(MeetingTest, PassesOverWhatAStartLeftThatNeverMet) {
  EXPECT_ERROR(meet(store_, {.rank = 1, .size = 3}, milliseconds(50)), "rank 0 has not come");
  EXPECT_ERROR(meet(store_, {.rank = 0, .size = 3}, milliseconds(50)), "ranks 1, 2 have not come");
  EXPECT_EQ(prefixes(store_, 3).size(), 3);
}

TEST_F(MeetingTest, NamesWhoHasNotCome) {
  std::thread first(
      [&] { EXPECT_ERROR(meet(store_, {.rank = 0, .size = 3}, std::chrono::seconds(2)), "rank 2 has not come"); });
  EXPECT_ERROR(meet(store_, {.rank = 1, .size = 3}, std::chrono::seconds(3)), "rank 2 has not come");
  first.join();
}

}  // namespace
}  // namespace hasa
