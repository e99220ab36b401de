#include "hasa/study/batch_negatives.h"

#include <cmath>
#include <map>
#include <set>

#include "hasa/base/testing.h"
#include "hasa/study/scorer_for_tests.h"

namespace hasa {
namespace {

using testing::FormulaScorer;

const std::vector<Triple> kTriples = {{0, 0, 1}, {0, 0, 2}, {3, 1, 1}, {4, 0, 1}, {5, 1, 2}, {6, 1, 7}};

TEST(BatchNegatives, AreTheBatchsEntitiesByTailCountOrBySoftmaxOfTheScores) {
  const KnownAnswers known = KnownAnswers::of_training([] {
    GraphParts parts;
    for (int e = 0; e < 8; ++e) parts.entities.add("e" + std::to_string(e));
    for (int r = 0; r < 2; ++r) parts.relations.add("r" + std::to_string(r));
    parts.triples[0] = kTriples;
    return Graph(std::move(parts));
  }());
  int queries = 0;
  for_each_query_negatives(FormulaScorer(8), kTriples, known, 6, 1, [&](const QueryNegatives& query) {
    ++queries;
    ASSERT_EQ(std::vector<EntityId>(query.candidates.begin(), query.candidates.end()),
              (std::vector<EntityId>{0, 1, 2, 3, 4, 5, 6, 7}));
    std::map<EntityId, double> tails;
    double tail_sum = 0, exp_sum = 0;
    const auto is_negative = [&](EntityId e) {
      return std::ranges::find(kTriples, Triple{query.triple.head, query.triple.relation, e}) == kTriples.end();
    };
    for (const Triple& triple : kTriples) {
      if (is_negative(triple.tail)) tails[triple.tail] += 1, tail_sum += 1;
    }
    for (EntityId e = 0; e < 8; ++e) {
      if (is_negative(e)) exp_sum += std::exp(FormulaScorer::score(query_of(query.triple), e));
    }
    for (EntityId e = 0; e < 8; ++e) {
      const auto place = static_cast<std::size_t>(e);
      EXPECT_NEAR(query.simple[place], tails[e] / tail_sum, 1e-12);
      EXPECT_NEAR(query.hard[place],
                  is_negative(e) ? std::exp(FormulaScorer::score(query_of(query.triple), e)) / exp_sum : 0, 1e-6);
    }
  });
  EXPECT_EQ(queries, 6);
}

TEST(BatchNegatives, ComeInWholeBatchesOfDifferentTriples) {
  const KnownAnswers known = KnownAnswers::of_training([] {
    GraphParts parts;
    for (int e = 0; e < 8; ++e) parts.entities.add("e" + std::to_string(e));
    for (int r = 0; r < 2; ++r) parts.relations.add("r" + std::to_string(r));
    return Graph(std::move(parts));
  }());
  std::set<Triple> seen;
  for_each_query_negatives(FormulaScorer(8), kTriples, known, 4, 1,
                           [&](const QueryNegatives& query) { EXPECT_TRUE(seen.insert(query.triple).second); });
  EXPECT_EQ(seen.size(), 4U);
}

TEST(BatchNegatives, AreDrawnInProportion) {
  Rng rng(1);
  const std::vector<double> probabilities{0, 0.5, 0, 0.2, 0.3, 0};
  const auto counts = draw_counts(probabilities, 100000, rng);
  for (std::size_t i = 0; i < counts.size(); ++i)
    EXPECT_NEAR(static_cast<double>(counts[i]) / 100000, probabilities[i], 0.01) << i;
  EXPECT_EQ(counts[0] + counts[2] + counts[5], 0);
  EXPECT_TRUE(draw_counts(std::vector<double>{0, 0}, 5, rng).empty());
}

}  // namespace
}  // namespace hasa
