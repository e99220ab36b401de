#include "hasa/eval/bootstrap.h"

#include <cmath>

#include "hasa/base/rng.h"
#include "hasa/base/testing.h"
#include "hasa/base/thread_pool.h"

namespace hasa {
namespace {

/// Triples of one relation in both directions, with random ranks, the same in both directions or not.
std::vector<RankedQuery> random_ranks(EntityId triples, bool alike, std::uint64_t seed = 1) {
  Rng rng(seed);
  std::vector<RankedQuery> ranked;
  for (EntityId i = 0; i < triples; ++i) {
    const auto better = static_cast<std::int64_t>(rng.below(20));
    ranked.push_back({{i, 0, i}, better});
    ranked.push_back({{i, 1, i}, alike ? better : static_cast<std::int64_t>(rng.below(20))});
  }
  return ranked;
}

double width(const Interval& interval) { return interval.high - interval.low; }

TEST(Bootstrap, IsAsWideAsTheNormalApproximationSays) {
  const auto ranked = random_ranks(2000, /*alike=*/false);
  double mean = 0, square = 0;
  for (const RankedQuery& q : ranked) {
    mean += 1 / q.realistic() / 4000;
    square += 1 / q.realistic() / q.realistic() / 4000;
  }
  const double expected = 2 * 1.96 * std::sqrt((square - mean * mean) / 4000);
  const MetricIntervals intervals = bootstrap(ranked, 1);
  EXPECT_NEAR(width(intervals.mrr), expected, 0.1 * expected);
  EXPECT_LT(intervals.mrr.low, mean);
  EXPECT_GT(intervals.mrr.high, mean);
}

TEST(Bootstrap, DirectionsThatAgreeCountAsOneObservation) {
  const double apart = width(bootstrap(random_ranks(2000, false), 1).hits_at_10);
  const double together = width(bootstrap(random_ranks(2000, true), 1).hits_at_10);
  EXPECT_NEAR(together / apart, std::sqrt(2), 0.15);
}

TEST(Bootstrap, ASeedGivesTheSameIntervalsOnAnyNumberOfThreads) {
  const auto ranked = random_ranks(1000, false);
  const std::size_t threads = thread_count();
  set_thread_count(1);
  const MetricIntervals one = bootstrap(ranked, 1);
  set_thread_count(3);
  const MetricIntervals three = bootstrap(ranked, 1);
  set_thread_count(threads);
  EXPECT_EQ(one.mrr.low, three.mrr.low);
  EXPECT_EQ(one.hits_at_1.high, three.hits_at_1.high);
  EXPECT_NE(one.mrr.low, bootstrap(ranked, 1, {.seed = 2}).mrr.low);
}

TEST(Bootstrap, OfNothingAndOfOneTripleIsAPoint) {
  EXPECT_EQ(bootstrap({}, 1).mrr.high, 0);
  const std::vector<RankedQuery> one{{{0, 0, 1}, 3}};
  EXPECT_EQ(bootstrap(one, 1).mrr.low, 0.25);
  EXPECT_EQ(bootstrap(one, 1).mrr.high, 0.25);
}

TEST(Facts, AQueryAndItsInverseAreOne) {
  const std::vector<RankedQuery> ranked{{{4, 1, 5}}, {{0, 0, 1}}, {{1, 3, 0}}, {{1, 2, 0}}};
  EXPECT_THAT(facts_of(ranked, 2).of_query, ::testing::ElementsAre(0, 1, 2, 1));
}

}  // namespace
}  // namespace hasa
