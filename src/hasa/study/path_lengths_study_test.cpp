#include "hasa/study/path_lengths_study.h"

#include "hasa/base/testing.h"
#include "hasa/study/path_lengths_figures.h"

namespace hasa {
namespace {

PathLengthsData data_with(double path_area, double best_area) {
  PathLengthsData data;
  for (std::int64_t seed = 1; seed <= 3; ++seed) {
    const double wobble = 0.001 * static_cast<double>(seed);
    const bool nearer = path_area > 0.5;
    data.lengths.push_back({"animal", seed, {{{nearer ? 6 : 2, 100}, {kNoPath, 5}}, {{nearer ? 2 : 6, 10}}}});
    for (const Proximity each : kProximities) {
      const double area = each == Proximity::path ? path_area : each == Proximity::katz ? best_area : 0.4;
      data.areas.push_back({"animal", seed, each, area + wobble, {area - 0.01, area + 0.01}});
      data.curves.push_back({"animal", seed, each, {{0, 0}, {0.2, 0.7}, {1, 1}}});
    }
  }
  return data;
}

TEST(PathLengthsStudy, SentenceTurnsRoundWithTheData) {
  const PathLengthsData near = data_with(0.8, 0.7), far = data_with(0.2, 0.1);
  const Verdict agrees = judge_path_lengths(near.lengths, near.areas), turned = judge_path_lengths(far.lengths, far.areas);
  EXPECT_EQ(agrees.agreement, Agreement::agrees);
  EXPECT_THAT(agrees.sentence, ::testing::HasSubstr("2.00 steps from their head and true ones 6.00"));
  EXPECT_THAT(agrees.sentence, ::testing::HasSubstr("false ones are nearer"));
  EXPECT_EQ(turned.agreement, Agreement::disagrees);
  EXPECT_THAT(turned.sentence, ::testing::HasSubstr("false ones are farther away"));
}

TEST(PathLengthsStudy, NamesTheBestOtherMeasureAndWhetherItIsBetter) {
  const Verdict better = judge_measures(data_with(0.7, 0.9).areas), worse = judge_measures(data_with(0.9, 0.7).areas);
  EXPECT_EQ(better.agreement, Agreement::agrees);
  EXPECT_THAT(better.sentence, ::testing::HasSubstr("the best other measure is Katz with an area of .902, beside .702"));
  EXPECT_EQ(worse.agreement, Agreement::disagrees);
  EXPECT_EQ(judge_measures(data_with(0.8, 0.8).areas).agreement, Agreement::mixed);
}

TEST(PathLengthsStudy, CountsDrawsByLengthInTheGraphThatIsLeft) {
  // 0 - 1 - 2 - 3, and 4 by itself.
  const Neighbours graph{Adjacency(std::vector<Triple>{{0, 0, 1}, {1, 0, 2}, {2, 0, 3}}, 5, 1)};
  const PathLengthCounts counts = count_lengths(
      graph, {{0, 0, 3, 4, true}, {0, 0, 2, 1, false}, {3, 0, 1, 2, false}, {0, 0, 4, 7, false}, {1, 0, 2, 3, true}});
  EXPECT_EQ(counts.false_negatives, (std::map<std::int32_t, std::int64_t>{{1, 3}, {3, 4}}));
  EXPECT_EQ(counts.true_negatives, (std::map<std::int32_t, std::int64_t>{{kNoPath, 7}, {2, 3}}));
  EXPECT_NEAR(mean_length(counts.false_negatives), 15.0 / 7, 1e-12);
}

TEST(PathLengthsStudy, FiguresHoldEveryDraw) {
  const StudyResult result = describe_path_lengths(data_with(0.8, 0.7));
  ASSERT_EQ(result.figures.size(), 3U);
  std::int64_t drawn = 0;
  for (const auto& bucket : std::get<Histogram>(result.figures[1].chart).buckets) drawn += bucket.count;
  EXPECT_EQ(drawn, 3 * 105);
  EXPECT_EQ(std::get<Histogram>(result.figures[1].chart).buckets.back().count, 15);
  EXPECT_EQ(std::get<XyChart>(result.figures[2].chart).series.size(), std::size(kProximities));
}

}  // namespace
}  // namespace hasa
