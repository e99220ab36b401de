#include "hasa/study/false_negatives.h"

#include <algorithm>
#include <utility>

#include "hasa/base/testing.h"
#include "hasa/kg/synthetic.h"
#include "hasa/study/batch_negatives.h"
#include "hasa/study/hold_out.h"
#include "hasa/study/scorer_for_tests.h"

namespace hasa {
namespace {

std::vector<FalseNegativeCount> counts_with(std::int64_t simple, std::int64_t hard) {
  std::vector<FalseNegativeCount> counts;
  for (std::int64_t seed = 1; seed <= 3; ++seed) {
    for (const std::int64_t batch : {64, 256})
      counts.push_back({"animal", seed, batch, 1000000, simple + seed, hard + 3 * seed});
  }
  return counts;
}

TEST(FalseNegatives, CountsAreThoseOfALookAtEveryDraw) {
  const Graph retained = hold_out(synthetic_graph({.entities = 40, .relations = 2, .triples = 300, .groups = 4, .texts = false, .split = {}}), 0.3, 1);
  const testing::FormulaScorer scorer(retained.entities());
  const FalseNegativeCount count = count_false_negatives(scorer, retained, 16, 1, [] {});
  // The same draws, each looked for among the missing triples one by one.
  std::int64_t simple = 0, hard = 0, queries = 0;
  Rng rng(1, "draws", 16);
  const auto missing = with_inverses(retained.triples(Split::test), retained.relations());
  const auto is_missing = [&](const QueryNegatives& query, EntityId tail) {
    return std::ranges::count(missing, Triple{query.triple.head, query.triple.relation, tail}) > 0;
  };
  for_each_query_negatives(scorer, with_inverses(retained.triples(Split::train), retained.relations()),
                           KnownAnswers::of_training(retained), 16, 1, [&](const QueryNegatives& query) {
                             ++queries;
                             const auto simple_draws = draw_counts(query.simple, 31, rng), hard_draws = draw_counts(query.hard, 31, rng);
                             for (std::size_t i = 0; i < query.candidates.size(); ++i) {
                               if (!is_missing(query, query.candidates[i])) continue;
                               simple += simple_draws.at(i);
                               hard += hard_draws.at(i);
                             }
                           });
  EXPECT_EQ(count.simple, simple);
  EXPECT_EQ(count.hard, hard);
  EXPECT_EQ(count.draws, 31 * queries);
  EXPECT_GT(simple, 0);
  EXPECT_NE(simple, hard);
}

TEST(FalseNegatives, SentenceTurnsRoundWithTheData) {
  const Verdict more = judge_false_negatives(counts_with(100, 900));
  EXPECT_EQ(more.agreement, Agreement::agrees);
  EXPECT_THAT(more.sentence, ::testing::HasSubstr("more false negatives than simple ones in 2 of 2 settings"));
  const Verdict fewer = judge_false_negatives(counts_with(900, 100));
  EXPECT_EQ(fewer.agreement, Agreement::disagrees);
  EXPECT_THAT(fewer.sentence, ::testing::HasSubstr("in 0 of 2 settings (graph and batch size), fewer in 2"));
  EXPECT_EQ(more.claim, 1);
}

TEST(FalseNegatives, SettingsThatDisagreeAreMixed) {
  std::vector<FalseNegativeCount> counts = counts_with(100, 900);
  for (FalseNegativeCount& each : counts) {
    if (each.batch == 64) std::swap(each.simple, each.hard);
  }
  EXPECT_EQ(judge_false_negatives(counts).agreement, Agreement::mixed);
}

TEST(FalseNegatives, OneSeedWithFewCountsShowsNoDifference) {
  const Verdict verdict = judge_false_negatives({{"animal", 1, 64, 1000000, 4, 6}});
  EXPECT_EQ(verdict.agreement, Agreement::mixed);
  EXPECT_THAT(verdict.sentence, ::testing::HasSubstr("no difference beyond chance shows in 1"));
}

TEST(FalseNegatives, DrawTwiceTheBatchLessOne) { EXPECT_EQ((FalseNegativeCount{.batch = 256}.negatives()), 511); }

}  // namespace
}  // namespace hasa
