#include "hasa/study/tau_ablation.h"

#include "hasa/base/testing.h"
#include "hasa/study/runs_for_tests.h"

namespace hasa {
namespace {

using ::testing::HasSubstr;
using testing::runs_with_ranks;

/// Runs of which `first` of 40 queries came first; the others are not among the ten best.
SeededRuns runs_at(const std::string& tau, std::size_t first) {
  std::vector<double> ranks(40, 50);
  std::fill_n(ranks.begin(), first, 1);
  return runs_with_ranks(tau, {ranks, ranks});
}

Verdict verdict_for(std::size_t at_0, std::size_t at_2e_5, std::size_t at_1e_3) {
  const TauRow row{"WN18RR", "HaSa", {runs_at("0", at_0), runs_at("2e-5", at_2e_5), runs_at("1e-3", at_1e_3)}};
  return tau_ablation_result({row}).verdicts.at(0);
}

TEST(TauAblation, AgreesWhereThePapersValueIsBestAndBetterThanNone) {
  const Verdict verdict = verdict_for(10, 30, 12);
  EXPECT_EQ(verdict.claim, 12);
  EXPECT_EQ(verdict.agreement, Agreement::agrees);
  EXPECT_THAT(verdict.sentence, HasSubstr("HaSa has its best MRR, .755 ± .000, at tau = 2e-5"));
}

TEST(TauAblation, DisagreesWhereAnotherValueIsBestOrNoneHelps) {
  EXPECT_EQ(verdict_for(10, 12, 30).agreement, Agreement::disagrees);
  const Verdict none = verdict_for(30, 12, 10);
  EXPECT_EQ(none.agreement, Agreement::disagrees);
  EXPECT_THAT(none.sentence, HasSubstr("No tau above 0 does better than none at all"));
  EXPECT_THAT(verdict_for(20, 21, 20).sentence, HasSubstr("no gain that the test can tell from none"));
  EXPECT_EQ(verdict_for(20, 21, 20).agreement, Agreement::disagrees);
}

TEST(TauAblation, DrawsALineForEachLossAndALevelForNone) {
  const TauRow hasa{"animal", "HaSa", {runs_at("0", 10), runs_at("1e-3", 20)}},
      plus{"animal", "HaSa+", {runs_at("0", 15), runs_at("1e-3", 20)}};
  const StudyResult result = tau_ablation_result({hasa, plus});
  ASSERT_EQ(result.figures.size(), 2U);
  const auto& chart = std::get<XyChart>(result.figures[0].chart);
  EXPECT_TRUE(chart.x.logarithmic);
  ASSERT_EQ(chart.series.size(), 2U);
  EXPECT_EQ(chart.series[1].name, "HaSa+");
  ASSERT_EQ(chart.series[1].points.size(), 1U);
  EXPECT_DOUBLE_EQ(chart.series[1].points[0].x, 1e-3);
  EXPECT_EQ(chart.levels.size(), 2U);
  EXPECT_EQ(result.verdicts.size(), 1U) << "the paper's claim is about HaSa";
}

}  // namespace
}  // namespace hasa
