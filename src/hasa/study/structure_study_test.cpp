#include "hasa/study/structure_study.h"

#include <set>

#include "hasa/base/testing.h"
#include "hasa/kg/synthetic.h"
#include "hasa/study/hold_out.h"

namespace hasa {
namespace {

using ::testing::HasSubstr;

/// Of three seeds around these differences from Hard InfoNCE.
StructureCondition condition(const std::string& graph, double false_negatives, double hasa, double oracle) {
  StructureCondition made{
      .graph = graph, .degree = 3, .left_out = 0.3, .candidates = 0, .taus = {"1e-3", "1e-2"}, .seeds = {}};
  for (const double noise : {-0.001, 0.0, 0.001}) {
    made.seeds.push_back({.false_negatives = false_negatives,
                          .hard = {.valid_mrr = 0.3, .mrr = 0.3 + noise},
                          .oracle = {.valid_mrr = 0.3, .mrr = 0.3 + 2 * noise + oracle},
                          // The second tau is better on validation, whatever it does on test.
                          .hasa = {{.valid_mrr = 0.2, .mrr = 0.9}, {.valid_mrr = 0.4, .mrr = 0.3 + 2 * noise + hasa}}});
  }
  return made;
}

TEST(StructureStudy, TurnsItsSentenceRoundWithTheData) {
  const Verdict up = judge_structure({condition("a", 0.1, 0.02, 0.1), condition("b", 1, 0.04, 0.1)});
  EXPECT_EQ(up.claim, 4);
  EXPECT_EQ(up.agreement, Agreement::agrees);
  EXPECT_THAT(up.sentence, HasSubstr("Under all of 2 conditions"));
  // Student's t of two degrees of freedom: .04 ± 4.303 * .001 / sqrt(3).
  EXPECT_THAT(up.sentence,
              HasSubstr("greatest gain is +.040 (95% +.038 to +.042), at b, 30% left out, all candidates"));
  EXPECT_THAT(up.sentence, HasSubstr("the correction's gain is greater: +.020"));

  const Verdict down = judge_structure({condition("a", 0.1, -0.02, 0.1), condition("b", 1, -0.04, 0.1)});
  EXPECT_EQ(down.agreement, Agreement::disagrees);
  EXPECT_THAT(down.sentence, HasSubstr("Under none of 2 conditions"));
  EXPECT_THAT(down.sentence, HasSubstr("under all a lower one"));
  EXPECT_THAT(down.sentence, HasSubstr("the correction's gain is smaller: −.020"));
}

TEST(StructureStudy, SaysUnderWhichConditionsTheCorrectionHelps) {
  const Verdict mixed = judge_structure({condition("a", 0.1, 0, 0.1), condition("b", 1, 0.04, 0)});
  EXPECT_EQ(mixed.agreement, Agreement::mixed);
  EXPECT_THAT(mixed.sentence, HasSubstr("Under 1 of 2 conditions"));
  EXPECT_THAT(mixed.sentence, HasSubstr("gains beyond chance under 1, at most +.100"));
  const Verdict nothing = judge_structure({condition("a", 0.1, 0, 0), condition("b", 1, 0, 0)});
  EXPECT_EQ(nothing.agreement, Agreement::disagrees);
  EXPECT_THAT(nothing.sentence, HasSubstr("does not differ beyond chance"));
}

TEST(StructureStudy, ShowsEveryConditionWithItsInterval) {
  const StudyResult result = structure_result({condition("a", 0.1, 0.02, 0.1), condition("b", 1, 0.04, 0.1)});
  const auto& chart = std::get<XyChart>(result.figures.at(0).chart);
  ASSERT_EQ(chart.series.size(), 2U);
  ASSERT_EQ(chart.series[0].points.size(), 2U);
  EXPECT_DOUBLE_EQ(chart.series[0].points[1].x, 1);
  EXPECT_NEAR(chart.series[0].points[1].y, 0.04, 1e-12);
  EXPECT_TRUE(chart.series[0].points[1].interval.has_value());
  EXPECT_EQ(result.tables.at(0).rows.size(), 2U);
}

class FalseNegativesOfAQuery : public ::testing::Test {
 protected:
  FalseNegativesOfAQuery() {
    SyntheticOptions options;
    options.entities = 40;
    options.relations = 2;
    options.triples = 500;
    options.texts = false;
    whole_ = std::make_unique<Graph>(synthetic_graph(options));
    retained_ = std::make_unique<Graph>(leave_out(*whole_, 0.4, 1));
  }

  std::unique_ptr<Graph> whole_, retained_;
};

TEST_F(FalseNegativesOfAQuery, AreTheMissingAnswersWhereAllEntitiesAreCandidates) {
  const auto train = whole_->triples(Split::train), kept = retained_->triples(Split::train);
  const std::set<Triple> all(train.begin(), train.end()), left(kept.begin(), kept.end());
  double found = 0;
  for (const Triple& asked : left) {
    for (const Triple& other : all) {
      if (left.contains(other) || other.relation != asked.relation) continue;
      found += other.head == asked.head;  // asked for the tail
      found += other.tail == asked.tail;  // asked for the head
    }
  }
  ASSERT_GT(found, 0);
  const double expected = found / (2 * static_cast<double>(left.size()));
  EXPECT_NEAR(false_negatives_of_a_query(*whole_, *retained_, 0, 64, 1), expected, 1e-12);
  // As many candidates as there are entities are all of them; some batches stand for all.
  EXPECT_NEAR(false_negatives_of_a_query(*whole_, *retained_, 40, 16, 1), expected, 0.15 * expected);
}

TEST_F(FalseNegativesOfAQuery, AreFewerAmongFewerCandidates) {
  const double all = false_negatives_of_a_query(*whole_, *retained_, 0, 2, 1);
  const double few = false_negatives_of_a_query(*whole_, *retained_, 10, 2, 1);
  EXPECT_LT(few, 0.7 * all);
  EXPECT_GT(few, 0.1 * all);
}

}  // namespace
}  // namespace hasa
