#include "hasa/train/batch_order.h"

#include <algorithm>
#include <vector>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

std::vector<std::int64_t> copy(std::span<const std::int64_t> rows) { return {rows.begin(), rows.end()}; }

TEST(BatchOrder, TakesEveryRowOncePerEpochInANewOrder) {
  BatchOrder order(1, 10, 4);
  EXPECT_EQ(order.steps_per_epoch(), 3);
  std::vector<std::vector<std::int64_t>> epochs(2);
  for (std::int64_t step = 0; step < 6; ++step) {
    const auto rows = order.rows_of(step);
    EXPECT_EQ(rows.size(), step % 3 == 2 ? 2U : 4U);
    auto& epoch = epochs[static_cast<std::size_t>(step / 3)];
    epoch.insert(epoch.end(), rows.begin(), rows.end());
  }
  EXPECT_NE(epochs[0], epochs[1]);
  for (auto& epoch : epochs) {
    std::sort(epoch.begin(), epoch.end());
    EXPECT_EQ(epoch, (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  }
}

TEST(BatchOrder, AStepDoesNotDependOnThoseTakenBefore) {
  BatchOrder one(7, 100, 8), other(7, 100, 8);
  const auto late = copy(one.rows_of(31));
  for (std::int64_t step = 0; step < 31; ++step) other.rows_of(step);
  EXPECT_EQ(copy(other.rows_of(31)), late);
  EXPECT_NE(copy(BatchOrder(8, 100, 8).rows_of(31)), late);
}

}  // namespace
}  // namespace hasa
