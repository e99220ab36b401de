#include "hasa/serve/front/batcher.h"

#include <future>
#include <memory>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

using ::testing::ElementsAre;
using Batches = std::vector<std::vector<int>>;

/// Holds the first batch until it is told to go on, so that jobs arrive while work is done.
class Held {
 public:
  explicit Held(BatcherLimits limits)
      : batcher(limits, [this](std::vector<int> batch) {
          if (first) {
            first = false;
            begun.set_value();
            go_on.get_future().wait();
          }
          const std::lock_guard lock(mutex);
          jobs += batch.size();
          batches.push_back(std::move(batch));
          done.notify_all();
        }) {}
  bool offer(int job, std::size_t weight = 1) { return batcher.offer(job, weight); }
  void offer_first(int job) {
    offer(job);
    begun.get_future().wait();
  }
  Batches after(std::size_t count) {
    std::unique_lock lock(mutex);
    done.wait_for(lock, std::chrono::seconds(120), [&] { return jobs >= count; });
    return batches;
  }

  bool first = true;
  std::promise<void> begun, go_on;
  std::mutex mutex;
  std::condition_variable done;
  Batches batches;
  std::size_t jobs = 0;
  Batcher<int> batcher;
};

TEST(Batcher, WorksTogetherOnWhatArrivesWhileItIsBusy) {
  Held held({.batch = 100, .waiting = 100});
  held.offer_first(1);
  for (const int job : {2, 3, 4}) EXPECT_TRUE(held.offer(job));
  held.go_on.set_value();
  EXPECT_THAT(held.after(4), ElementsAre(ElementsAre(1), ElementsAre(2, 3, 4)));
}

TEST(Batcher, FillsABatchUpToItsWeightAndKeepsTheOrder) {
  Held held({.batch = 5, .waiting = 100});
  held.offer_first(1);
  held.offer(2, 3);
  held.offer(3, 2);
  held.offer(4, 1);
  held.offer(5, 9);  // by itself, though it is above the limit
  held.offer(6, 1);
  held.go_on.set_value();
  EXPECT_THAT(held.after(6),
              ElementsAre(ElementsAre(1), ElementsAre(2, 3), ElementsAre(4), ElementsAre(5), ElementsAre(6)));
}

TEST(Batcher, RefusesWhatIsTooMuchAndLeavesItToTheCaller) {
  Held held({.batch = 100, .waiting = 4});
  held.offer_first(1);
  EXPECT_TRUE(held.offer(2, 9));  // nothing waits: even this is taken
  int refused = 7;
  EXPECT_FALSE(held.batcher.offer(refused, 1));
  EXPECT_EQ(refused, 7);
  EXPECT_EQ(held.batcher.waiting(), 9U);
  held.go_on.set_value();
  EXPECT_EQ(held.after(2).size(), 2U);
  EXPECT_TRUE(held.offer(3));
}

/// The batches of a batcher that is destroyed while it works on a first job and `second` waits.
int batches_until_its_end(std::unique_ptr<std::shared_ptr<int>> second) {
  std::promise<void> begun, go_on;
  int batches = 0;
  std::thread later;
  {
    Batcher<std::unique_ptr<std::shared_ptr<int>>> batcher({}, [&](auto) {
      if (batches++ == 0) {
        begun.set_value();
        go_on.get_future().wait();
      }
    });
    std::unique_ptr<std::shared_ptr<int>> first;
    batcher.offer(first, 1);
    begun.get_future().wait();
    EXPECT_TRUE(batcher.offer(second, 1));
    later = std::thread([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));  // meanwhile the destructor has begun, as a rule
      go_on.set_value();
    });
  }
  later.join();
  return batches;
}

TEST(Batcher, DropsWhatStillWaitsWhenItEnds) {
  int batches = 2;
  for (int tries = 0; tries < 20 && batches != 1; ++tries) {  // on a busy machine the destructor may come too late
    auto job = std::make_unique<std::shared_ptr<int>>(std::make_shared<int>(1));
    const std::weak_ptr<int> watched = *job;
    batches = batches_until_its_end(std::move(job));
    EXPECT_TRUE(watched.expired());
  }
  EXPECT_EQ(batches, 1);
}

}  // namespace
}  // namespace hasa
