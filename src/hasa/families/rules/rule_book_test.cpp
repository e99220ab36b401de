#include "hasa/families/rules/rule_book.h"

#include <gtest/gtest.h>

#include <array>

#include "hasa/families/rules/mine_rules.h"

namespace hasa {
namespace {

// 0 -s-> 1 -s-> 2, 0 -s-> 3 -s-> 2, 0 -s-> 4; relation r = 0, s = 1; r^-1 = 2, s^-1 = 3.
const std::array<Triple, 5> kTriples{Triple{0, 1, 1}, {1, 1, 2}, {0, 1, 3}, {3, 1, 2}, {0, 1, 4}};

class RuleBookTest : public ::testing::Test {
 protected:
  std::vector<float> scores(const std::vector<Rule>& rules, const Query& query) const {
    std::vector<float> scores(5, -1);
    RuleBook(edges, rules).score(query, scores);
    return scores;
  }
  EdgeGroups edges{kTriples, 5, 2};
  Rule path{.kind = RuleKind::path, .relation = 0, .first = 1, .second = 1, .confidence = 0.5F};
  Rule edge{.kind = RuleKind::edge, .relation = 0, .first = 1, .confidence = 0.25F};
  Rule constant{.kind = RuleKind::constant, .relation = 0, .first = 1, .given = 4, .answer = 2, .confidence = 0.125F};
  Rule frequency{.kind = RuleKind::frequency, .relation = 0, .answer = 4, .confidence = 0.0625F};
};

TEST_F(RuleBookTest, GivesTheConfidenceOfTheBestRuleAndAFractionOfTheNext) {
  // Two middles are one rule: 2 gets the path once, and the constant next to it.
  EXPECT_EQ(scores({path, edge, constant, frequency}, {0, 0}),
            (std::vector<float>{0, 0.25F, 0.5F + 0.125F / 256, 0.25F, 0.25F + 0.0625F / 256}));
}

TEST_F(RuleBookTest, AnswersTheInverseQueryByTheSameRules) {
  // (?, r, 2): back along s and s from 2 to 0, and along s to 1 and 3.
  EXPECT_EQ(scores({path, edge}, {2, 2}), (std::vector<float>{0.5F, 0.25F, 0, 0.25F, 0}));
}

TEST_F(RuleBookTest, LeavesNothingBehindForTheNextQuery) {
  const RuleBook book(edges, {path});
  std::vector<float> row(5);
  book.score({0, 0}, row);
  book.score({4, 0}, row);
  EXPECT_EQ(row, std::vector<float>(5, 0));
}

TEST_F(RuleBookTest, SaysWhichRulesPredictAnAnswerAndThroughWhichEntities) {
  const std::vector<Firing> firings = RuleBook(edges, {constant, path, edge}).firings({0, 0}, 2);
  ASSERT_EQ(firings.size(), 2);
  EXPECT_EQ(firings[0].rule.kind, RuleKind::path);
  EXPECT_EQ(firings[0].middles, (std::vector<EntityId>{1, 3}));
  EXPECT_EQ(firings[1].rule.kind, RuleKind::constant);
}

TEST_F(RuleBookTest, MinedFromAPlantedPatternAnswersIt) {
  // Everybody's r is whom two steps of s lead to, for ten chains; the last has no r yet.
  std::vector<Triple> triples;
  for (EntityId chain = 0; chain < 10; ++chain) {
    const EntityId first = 3 * chain;
    triples.insert(triples.end(), {{first, 1, first + 1}, {first + 1, 1, first + 2}});
    if (chain < 9) triples.push_back({first, 0, first + 2});
  }
  const EdgeGroups chains(triples, 30, 2);
  const RuleBook book(chains, mine_rules(chains, {}, 1));
  std::vector<float> row(30);
  book.score({27, 0}, row);
  EXPECT_EQ(std::max_element(row.begin(), row.end()) - row.begin(), 29);
  EXPECT_NEAR(row[29], 9.0 / (10 + 5), 0.01);
}

}  // namespace
}  // namespace hasa
