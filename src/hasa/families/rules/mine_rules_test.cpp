#include "hasa/families/rules/mine_rules.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "hasa/base/thread_pool.h"
#include "hasa/kg/synthetic.h"

namespace hasa {
namespace {

RuleMiningConfig everything() {
  RuleMiningConfig config;
  config.smoothing = 0;
  config.min_support = 1;
  config.min_confidence = config.min_constant_confidence = 0;
  return config;
}

std::vector<Rule> mine(const std::vector<Triple>& triples, EntityId entities, RelationId relations,
                       const RuleMiningConfig& config = everything()) {
  return mine_rules(EdgeGroups(triples, entities, relations), config, 1);
}

/// The rule of that kind and body, or one with support 0.
Rule rule_of(const std::vector<Rule>& rules, const Rule& like) {
  const auto found = std::find_if(rules.begin(), rules.end(), [&](const Rule& rule) {
    return rule.kind == like.kind && rule.relation == like.relation && rule.first == like.first &&
           rule.second == like.second && rule.given == like.given && rule.answer == like.answer;
  });
  return found == rules.end() ? Rule{} : *found;
}

// r = 0, s = 1 among two relations: r^-1 = 2, s^-1 = 3.

TEST(MineRules, CountsOfARelationHowOftenItHoldsBothWays) {
  // r both ways between 0 and 1, one way from 2 to 3: of three edges, two have their reverse.
  const auto rules = mine({{0, 0, 1}, {1, 0, 0}, {2, 0, 3}}, 4, 2);
  const Rule symmetric = rule_of(rules, {.kind = RuleKind::edge, .relation = 0, .first = 2});
  EXPECT_EQ(symmetric.support, 2);
  EXPECT_EQ(symmetric.body, 3);
  EXPECT_FLOAT_EQ(symmetric.confidence, 2.F / 3);
}

TEST(MineRules, NeverLetsATripleItsCopyOrItsInverseTwinSpeakForItself) {
  // One fact written twice and a loop: no rule can be drawn from it but how often 1 answered.
  for (const Rule& rule : mine({{0, 0, 1}, {0, 0, 1}, {2, 0, 2}}, 3, 1))
    EXPECT_EQ(rule.kind, RuleKind::frequency) << to_string(rule.kind);
}

TEST(MineRules, CountsPairsOfAPathOnceWhateverTheirMiddles) {
  // s(0, 1), s(1, 2) and s(0, 3), s(3, 2) are one pair, (0, 2), which r joins; s(0, 3), s(3, 4) is another.
  const auto rules = mine({{0, 1, 1}, {1, 1, 2}, {0, 1, 3}, {3, 1, 2}, {3, 1, 4}, {0, 0, 2}}, 5, 2);
  const Rule path = rule_of(rules, {.kind = RuleKind::path, .relation = 0, .first = 1, .second = 1});
  EXPECT_EQ(path.body, 2);  // (0, 2) and (0, 4)
  EXPECT_EQ(path.support, 1);
}

TEST(MineRules, DoesNotWalkAlongALoopOfEitherEnd) {
  // s(0, 0), s(1, 1) and r(0, 1): s(X, X), r(X, Y) and r(X, Y), s(Y, Y) are no bodies.
  for (const Rule& rule : mine({{0, 1, 0}, {1, 1, 1}, {0, 0, 1}}, 2, 2)) EXPECT_NE(rule.kind, RuleKind::path);
}

TEST(MineRules, TakesTheOriginOfARuleWithConstantsForNoEvidence) {
  // Of 0, 1 and 2, which all have 5 for s, two have 6 for r: one of the two is the origin, so 1 of the 2 others.
  const auto rules = mine({{0, 1, 5}, {1, 1, 5}, {2, 1, 5}, {0, 0, 6}, {1, 0, 6}}, 7, 2);
  const Rule rule = rule_of(rules, {.kind = RuleKind::constant, .relation = 0, .first = 1, .given = 5, .answer = 6});
  EXPECT_EQ(rule.support, 1);
  EXPECT_EQ(rule.body, 2);
}

TEST(MineRules, CountsHowOftenAnEntityAnswered) {
  const auto rules = mine({{0, 0, 3}, {1, 0, 3}, {2, 0, 4}}, 5, 1);
  EXPECT_FLOAT_EQ(rule_of(rules, {.kind = RuleKind::frequency, .relation = 0, .answer = 3}).confidence, 2.F / 3);
  EXPECT_FLOAT_EQ(rule_of(rules, {.kind = RuleKind::frequency, .relation = 1, .answer = 2}).confidence, 1.F / 3);
}

TEST(MineRules, SmoothingTrustsARuleLessThatWasSeenSeldom) {
  RuleMiningConfig config = everything();
  config.smoothing = 5;
  const auto rules = mine({{0, 0, 1}, {1, 0, 0}}, 2, 1, config);
  EXPECT_FLOAT_EQ(rule_of(rules, {.kind = RuleKind::edge, .relation = 0, .first = 1}).confidence, 2.F / 7);
}

TEST(MineRules, GivesTheSameForAnyNumberOfThreads) {
  const Graph graph = synthetic_graph({.entities = 300, .relations = 4, .triples = 3000, .texts = false, .split = {}});
  const EdgeGroups edges(graph.triples(Split::train), graph.entities(), graph.relations());
  RuleMiningConfig config;
  config.constants = 50;
  const std::size_t before = thread_count();
  set_thread_count(1);
  const auto alone = mine_rules(edges, config, 1);
  set_thread_count(3);
  EXPECT_EQ(mine_rules(edges, config, 1), alone);
  set_thread_count(before);
}

TEST(MineRules, FromASampleOfTheWalksGivesAboutTheSameConfidence) {
  // 600 chains of two steps of s; in two of three, r joins their ends.
  std::vector<Triple> triples;
  for (EntityId chain = 0; chain < 600; ++chain) {
    const EntityId first = 3 * chain;
    triples.insert(triples.end(), {{first, 1, first + 1}, {first + 1, 1, first + 2}});
    if (chain % 3 != 0) triples.push_back({first, 0, first + 2});
  }
  const Rule path{.kind = RuleKind::path, .relation = 0, .first = 1, .second = 1};
  RuleMiningConfig config = everything();
  const Rule all = rule_of(mine(triples, 1800, 2, config), path);
  EXPECT_EQ(all.body, 600);
  EXPECT_EQ(all.support, 400);
  config.walks = 2000;  // of 6,000
  const Rule some = rule_of(mine(triples, 1800, 2, config), path);
  EXPECT_LT(some.body, 400);
  EXPECT_GT(some.body, 100);
  EXPECT_NEAR(some.confidence, 2.0 / 3, 0.1);
}

}  // namespace
}  // namespace hasa
