#include "hasa/study/dimension_and_batch.h"

#include "hasa/base/testing.h"
#include "hasa/study/runs_for_tests.h"

namespace hasa {
namespace {

using ::testing::HasSubstr;
using testing::runs_with_firsts;

DimensionBatchGrid grid_of(const std::vector<std::vector<std::size_t>>& firsts) {
  DimensionBatchGrid grid{"WN18RR", {100, 500}, {64, 128, 256}, {}};
  for (const auto& row : firsts) {
    grid.runs.emplace_back();
    for (const std::size_t first : row) grid.runs.back().push_back(runs_with_firsts("", first));
  }
  return grid;
}

TEST(DimensionAndBatch, AgreesWithThePaperOnDataLikeThePapers) {
  const StudyResult result = dimension_and_batch_result({grid_of({{2, 12, 18}, {10, 24, 34}})});
  ASSERT_EQ(result.verdicts.size(), 2U);
  EXPECT_EQ(result.verdicts[0].claim, 16);
  EXPECT_EQ(result.verdicts[0].agreement, Agreement::agrees);
  EXPECT_THAT(result.verdicts[0].sentence, HasSubstr("the gain grows"));
  EXPECT_EQ(result.verdicts[1].claim, 17);
  EXPECT_EQ(result.verdicts[1].agreement, Agreement::agrees);
}

TEST(DimensionAndBatch, TurnsRoundWithTheData) {
  const StudyResult result = dimension_and_batch_result({grid_of({{24, 18, 0}, {10, 6, 0}})});
  EXPECT_EQ(result.verdicts[0].agreement, Agreement::mixed) << "smaller throughout, and yet by less: the gain grows";
  EXPECT_THAT(result.verdicts[0].sentence, HasSubstr("at batch 64 −.175"));
  EXPECT_NE(result.verdicts[1].agreement, Agreement::agrees);
  const StudyResult flat = dimension_and_batch_result({grid_of({{10, 10, 10}, {10, 10, 10}})});
  EXPECT_EQ(flat.verdicts[0].agreement, Agreement::disagrees);
  EXPECT_EQ(flat.verdicts[1].agreement, Agreement::disagrees);
}

}  // namespace
}  // namespace hasa
