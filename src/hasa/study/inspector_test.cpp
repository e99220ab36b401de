#include "hasa/study/inspector.h"

#include <cmath>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

/// 0 is linked to 1 and 2; over 1 to 3, over 2 to 4; 5 and 6 are farther away. Training answers of (0, r) are 1 and 2,
/// and 3 is held back.
Graph small_graph() {
  GraphParts parts;
  for (int e = 0; e < 7; ++e) parts.entities.add("e" + std::to_string(e));
  parts.relations.add("r");
  parts.triples[0] = {{0, 0, 1}, {0, 0, 2}, {1, 0, 3}, {2, 0, 4}, {4, 0, 5}, {5, 0, 6}};
  parts.triples[1] = {{0, 0, 3}};
  parts.triples[2] = {{0, 0, 6}};
  return Graph(std::move(parts));
}

InspectedQuery inspect_small(const std::vector<float>& scores, double beta, std::int64_t depth) {
  const Graph graph = small_graph();
  return inspect({0, 0}, scores, beta, depth, Neighbours(Adjacency(graph)), KnownAnswers::of_training(graph),
                 KnownAnswers(graph, std::vector{Split::valid, Split::test}));
}

TEST(Inspector, WeighsNearNegativesByTheirShareOfTheDiscount) {
  const std::vector<float> scores{0, 1, 2, 0.5, 1.5, 3, 9};
  const double beta = 1;
  const InspectedQuery query = inspect_small(scores, beta, 10);
  double sum = 0;
  for (const std::size_t near : {1, 2, 3, 4}) sum += std::exp((1 + beta) * scores[near]);
  ASSERT_EQ(query.discounted.size(), 2U);
  EXPECT_EQ(query.discounted[0].tail, 4);
  EXPECT_NEAR(query.discounted[0].weight, std::exp(3.0) / sum, 1e-9);
  EXPECT_EQ(query.discounted[1].tail, 3);
  EXPECT_EQ(query.discounted[1].distance, 2);
  EXPECT_TRUE(query.discounted[1].is_true);
  EXPECT_NEAR(query.known_weight, (std::exp(2.0) + std::exp(4.0)) / sum, 1e-9);
  EXPECT_EQ(query.true_ones(), 1);
}

TEST(Inspector, ComparesWithAsManyOfTheHardestAndWithChance) {
  const InspectedQuery query = inspect_small({0, 1, 2, 0.5, 1.5, 3, 9}, 0, 10);
  EXPECT_EQ(query.hardest_true, 1);                     // of 6 and 5, the first is true
  EXPECT_NEAR(query.random_true, 2 * 2.0 / 4, 1e-12);   // 3 and 6 of the negatives 3, 4, 5, 6
  EXPECT_NEAR(query.random_near_true, 2 * 0.5, 1e-12);  // 3 of 3 and 4
  EXPECT_EQ(inspect_small({0, 1, 2, 0.5, 1.5, 3, 9}, 0, 1).discounted.size(), 1U);
}

InspectorFigures figures_with(double discounted, double hardest, double random) {
  InspectorFigures figures;
  for (int i = 0; i < 400; ++i) {
    const double some = i % 4 == 0 ? 1 : 0;  // truths are rare
    figures.depths.push_back(10);
    figures.discounted.push_back(discounted * some);
    figures.hardest.push_back(hardest * some);
    figures.random.push_back(random);
    figures.random_near.push_back(random);
  }
  figures.queries = 400;
  figures.judged = 4000;
  return figures;
}

TEST(Inspector, SentenceTurnsRoundWithTheData) {
  const Verdict better = judge_inspection(figures_with(4, 2, 0.01));
  EXPECT_EQ(better.agreement, Agreement::agrees);
  EXPECT_THAT(better.sentence, ::testing::HasSubstr("10.00% are true in valid or test, beside 5.00%"));
  EXPECT_THAT(better.sentence, ::testing::HasSubstr("nearness tells more than the score alone"));
  const Verdict between = judge_inspection(figures_with(2, 4, 0.01));
  EXPECT_EQ(between.agreement, Agreement::mixed);
  EXPECT_THAT(between.sentence, ::testing::HasSubstr("nearness tells less than the score alone"));
  EXPECT_EQ(judge_inspection(figures_with(0.01, 4, 2)).agreement, Agreement::disagrees);
}

}  // namespace
}  // namespace hasa
