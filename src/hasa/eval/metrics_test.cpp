#include "hasa/eval/metrics.h"

#include <nlohmann/json.hpp>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

TEST(Metrics, AverageRealisticRanks) {
  const std::vector<RankedQuery> ranked{{{0, 0, 1}, 0, 0}, {{0, 0, 2}, 1, 0}, {{0, 0, 3}, 8, 4}};  // ranks 1, 2, 11
  const Metrics m = metrics_of(ranked);
  EXPECT_DOUBLE_EQ(m.mean_rank, 14.0 / 3);
  EXPECT_DOUBLE_EQ(m.mrr, (1 + 0.5 + 1.0 / 11) / 3);
  EXPECT_DOUBLE_EQ(m.hits_at_1, 1.0 / 3);
  EXPECT_DOUBLE_EQ(m.hits_at_3, 2.0 / 3);
  EXPECT_DOUBLE_EQ(m.hits_at_10, 2.0 / 3);
}

TEST(Metrics, AModelThatScoresAllEntitiesEquallyIsNotPerfect) {
  const std::vector<RankedQuery> ranked{{{0, 0, 1}, 0, 99}};
  EXPECT_DOUBLE_EQ(metrics_of(ranked).mrr, 1 / 50.5);
}

TEST(Metrics, OfNothingAreZero) { EXPECT_EQ(metrics_of({}).mrr, 0); }

TEST(Scores, KeepTheDirectionsApart) {
  const std::vector<RankedQuery> ranked{{{0, 0, 1}, 0, 0}, {{1, 1, 0}, 3, 0}};
  const Scores scores = scores_of(ranked, /*relations=*/1);
  EXPECT_DOUBLE_EQ(scores.tails.mrr, 1);
  EXPECT_DOUBLE_EQ(scores.heads.mrr, 0.25);
  EXPECT_DOUBLE_EQ(scores.all.mrr, 0.625);
  EXPECT_DOUBLE_EQ(nlohmann::json::parse(to_json(scores))["heads"]["mrr"], 0.25);
}

}  // namespace
}  // namespace hasa
