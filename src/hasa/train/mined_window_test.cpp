#include "hasa/train/mined_window.h"

#include <algorithm>

#include "hasa/base/testing.h"
#include "hasa/train/prefetch.h"

namespace hasa {
namespace {

TEST(MinedWindow, GivesAStepWhatWasMinedForIt) {
  MinedWindow window;
  window.publish(10, 3, {0, 1, 2, 3, 4, 5});
  EXPECT_THAT(window.of(10, 3), ::testing::ElementsAre(0, 1, 2));
  EXPECT_THAT(window.of(11, 2), ::testing::ElementsAre(3, 4));  // the last batch of an epoch is shorter
  window.publish(12, 1, {7});
  EXPECT_THAT(window.of(12, 1), ::testing::ElementsAre(7));
}

TEST(MinedWindow, RefusesAStepThatLiesOutsideOfIt) {
  MinedWindow window;
  EXPECT_ERROR(window.of(0, 1), "nothing was mined for step 0");
  window.publish(10, 2, {0, 1, 2, 3});
  EXPECT_ERROR(window.of(9, 2), "nothing was mined for step 9: the window begins at 10");
  EXPECT_ERROR(window.of(12, 1), "nothing was mined for step 12");
  EXPECT_ERROR(window.of(10, 3), "nothing was mined for step 10");
}

constexpr std::int64_t kSteps = 4;       // of a window
constexpr std::size_t kEachStep = 1000;  // entities

/// Every entity of a window is the number of its first step: a step that sees two of them was handed a torn window.
std::vector<EntityId> window_from(std::int64_t first) {
  return std::vector<EntityId>(kSteps * kEachStep, static_cast<EntityId>(first));
}

// The order of TextLearner::backward: mine what is lacking, raise the limit, take the step.
TEST(MinedWindow, IsHandedWholeToThePrefetchingThread) {
  MinedWindow window;
  Prefetch<std::vector<EntityId>> ahead([&](std::int64_t step) { return window.of(step, kEachStep); });
  std::int64_t limit = 0;
  for (std::int64_t step = 0; step < 200; ++step) {
    if (step >= limit) {
      window.publish(step, kEachStep, window_from(step));
      limit = step + kSteps;
    }
    ahead.set_limit(limit);
    const std::vector<EntityId> seen = ahead.take(step);
    EXPECT_EQ(seen.size(), kEachStep);
    EXPECT_EQ(std::ranges::count(seen, static_cast<EntityId>(limit - kSteps)), kEachStep) << step;
  }
}

TEST(MinedWindow, MayMoveBackWhileStepsAheadAreStillBeingMade) {
  MinedWindow window;
  Prefetch<std::vector<EntityId>> ahead([&](std::int64_t step) { return window.of(step, kEachStep); });
  for (int round = 0; round < 50; ++round) {
    for (const std::int64_t first : {40, 0}) {  // as a training that is put back to a checkpoint
      window.publish(first, kEachStep, window_from(first));
      ahead.set_limit(first + kSteps);
      EXPECT_THAT(ahead.take(first), ::testing::Each(static_cast<EntityId>(first)));
    }
  }
}

}  // namespace
}  // namespace hasa
