#include "hasa/study/seeded_runs.h"

#include "hasa/base/testing.h"
#include "hasa/study/runs_for_tests.h"

namespace hasa {
namespace {

using ::testing::HasSubstr;
using testing::runs_with_firsts;
using testing::runs_with_ranks;

TEST(SeededRuns, HaveTheMetricsThatOneWorksOutByHand) {
  const SeededRuns runs = runs_with_ranks("A", {{1, 2, 4, 20}});
  const Metrics& m = runs.seeds[0].test;
  EXPECT_EQ(m.queries, 4);
  EXPECT_DOUBLE_EQ(m.mean_rank, 6.75);
  EXPECT_DOUBLE_EQ(m.mrr, (1 + 0.5 + 0.25 + 0.05) / 4);
  EXPECT_DOUBLE_EQ(m.hits_at_1, 0.25);
  EXPECT_DOUBLE_EQ(m.hits_at_3, 0.5);
  EXPECT_DOUBLE_EQ(m.hits_at_10, 0.75);
}

TEST(SeededRuns, AreShownWithTheirStandardDeviation) {
  EXPECT_EQ(words(SeedMean{.seeds = 3, .mean = 0.4523, .deviation = 0.0031, .interval = {}}), ".452 ± .003");
  EXPECT_DOUBLE_EQ(spread({3, 0.5, 0.1, {}}).low, 0.4);
}

TEST(SeededRuns, DifferByTheMeanOverQueriesAndSeeds) {
  // Reciprocal ranks: A has (1, .5) and (1, 1), so .75 and 1 by query and .875 in all; B has (.5, .5) and (1, .5).
  const SeededRuns a = runs_with_ranks("A", {{1, 2}, {1, 1}}), b = runs_with_ranks("B", {{2, 2}, {1, 2}});
  const Difference d = difference_over_seeds(a, b, RankMetric::mrr);
  EXPECT_DOUBLE_EQ(d.a, 0.875);
  EXPECT_DOUBLE_EQ(d.b, 0.625);
  EXPECT_DOUBLE_EQ(d.b_minus_a, -0.25);
}

TEST(SeededRuns, AreBetterOnlyBeyondWhatChanceGives) {
  const SeededRuns low = runs_with_firsts("low", 5), high = runs_with_firsts("high", 25),
                   near = runs_with_firsts("near", 6);
  const Difference up = difference_over_seeds(low, high, RankMetric::hits_at_1);
  EXPECT_EQ(is_better(up), Agreement::agrees);
  EXPECT_LT(up.p_value, 0.001);
  EXPECT_GT(up.interval.low, 0.2);
  EXPECT_EQ(is_better(difference_over_seeds(high, low, RankMetric::hits_at_1)), Agreement::disagrees);
  EXPECT_EQ(is_better(difference_over_seeds(low, near, RankMetric::hits_at_1)), Agreement::disagrees);
  EXPECT_EQ(is_better(difference_over_seeds(low, low, RankMetric::mrr)), Agreement::disagrees);
  EXPECT_THAT(words(up, RankMetric::hits_at_1, "low", "high"), HasSubstr("high has Hits@1 .625 and low .125: +.500"));
}

TEST(SeededRuns, AreNotComparedOnDifferentQueries) {
  EXPECT_ERROR(difference_over_seeds(runs_with_ranks("A", {{1, 2}}), runs_with_ranks("B", {{1}}), RankMetric::mrr),
               "A and B did not rank the same queries");
}

TEST(SeededRuns, WriteALineForEachSeed) {
  const std::vector<SeededRuns> rows{runs_with_ranks("HaSa", {{1, 2}, {4, 4}})};
  const StudyFile file = runs_csv("losses.csv", "animal", rows);
  EXPECT_THAT(file.content, HasSubstr("graph,row,options,seed,mr,mrr"));
  EXPECT_THAT(file.content, HasSubstr("animal,HaSa,,1,1.5,0.75,0.5,1,1,0.75,3,1.50"));
  EXPECT_THAT(file.content, HasSubstr("animal,HaSa,,2,4,0.25,0,0,1,0.25,3,1.50"));
  EXPECT_EQ(runs_table("Losses", rows).rows[0].cells[3].text, ".500 ± .354");
  EXPECT_EQ(runs_chart({"id", "title", ""}, rows).bars[0].others.size(), 2U);
}

TEST(SeededRuns, WriteSmallDifferencesWithTheirSign) {
  EXPECT_EQ(signed_share(0.0101), "+.010");
  EXPECT_EQ(signed_share(-0.25), "−.250");
  EXPECT_EQ(signed_share(0.0001), "0");
  EXPECT_EQ(p_words(0.0002), "p < .001");
  EXPECT_EQ(p_words(0.0123), "p = .012");
}

}  // namespace
}  // namespace hasa
