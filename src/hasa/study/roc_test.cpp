#include "hasa/study/roc.h"

#include "hasa/base/testing.h"

namespace hasa {
namespace {

/// Over all pairs of a positive and another.
double area_by_pairs(const std::vector<RocItem>& items) {
  double sum = 0, weights = 0;
  for (const RocItem& a : items) {
    for (const RocItem& b : items) {
      if (!a.positive || b.positive) continue;
      weights += a.weight * b.weight;
      sum += a.weight * b.weight * (a.value > b.value ? 1 : a.value == b.value ? 0.5 : 0);
    }
  }
  return sum / weights;
}

std::vector<RocItem> random_items(std::size_t count, Rng& rng) {
  std::vector<RocItem> items;
  for (std::size_t i = 0; i < count; ++i)
    items.push_back({static_cast<double>(rng.below(6)), rng.below(3) == 0, 1 + static_cast<double>(rng.below(4))});
  return items;
}

TEST(Roc, AreaIsTheProbabilityThatAPositiveIsGreaterWithTiesByHalf) {
  Rng rng(1);
  for (int i = 0; i < 20; ++i) {
    const std::vector<RocItem> items = random_items(60, rng);
    EXPECT_NEAR(area_under(roc_curve(items)), area_by_pairs(items), 1e-12);
  }
}

TEST(Roc, TurnsRoundWithTheLabels) {
  Rng rng(2);
  std::vector<RocItem> items = random_items(60, rng);
  const double area = area_under(roc_curve(items));
  for (RocItem& item : items) item.positive = !item.positive;
  EXPECT_NEAR(area_under(roc_curve(items)), 1 - area, 1e-12);
}

TEST(Roc, OfPositivesAloneSaysNothing) {
  EXPECT_EQ(area_under(roc_curve(std::vector<RocItem>{{1, true}, {2, true}})), 0.5);
  EXPECT_EQ(area_under(roc_curve({})), 0.5);
}

TEST(Roc, IntervalHoldsTheAreaAndIsWiderWhereGroupsAreFew) {
  Rng rng(3);
  std::vector<RocItem> items = random_items(300, rng);
  for (RocItem& item : items) item.value += item.positive ? 1 : 0;
  std::vector<std::uint32_t> single, groups;
  for (std::uint32_t i = 0; i < 300; ++i) single.push_back(i), groups.push_back(i / 30);
  const double area = area_under(roc_curve(items));
  const Interval by_item = area_interval(items, single, 400, rng), by_group = area_interval(items, groups, 400, rng);
  EXPECT_LT(by_item.low, area);
  EXPECT_GT(by_item.high, area);
  EXPECT_GT(by_item.low, 0.5);
  EXPECT_LT(by_group.low, by_group.high);
}

TEST(Roc, ThinnedKeepsItsEnds) {
  std::vector<RocPoint> curve;
  for (int i = 0; i <= 100; ++i) curve.push_back({i / 100.0, i / 100.0});
  const auto few = thinned(curve, 7);
  ASSERT_EQ(few.size(), 7U);
  EXPECT_EQ(few.front().false_positive_rate, 0);
  EXPECT_EQ(few.back().true_positive_rate, 1);
}

}  // namespace
}  // namespace hasa
