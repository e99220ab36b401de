#include "hasa/kg/split.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "hasa/base/log_sink.h"
#include "hasa/base/testing.h"
#include "hasa/kg/synthetic.h"

namespace hasa {
namespace {

constexpr EntityId kEntities = 300;
constexpr RelationId kRelations = 7;

std::vector<Triple> some_triples() {
  SyntheticOptions options;
  options.entities = kEntities;
  options.relations = kRelations;
  options.triples = 2000;
  std::vector<Triple> triples;
  for_each_synthetic(options, [&](const Triple& t) { triples.push_back(t); });
  drop_duplicates(triples, kEntities, [](const Triple&) { return std::string(); });
  return triples;
}

std::set<EntityId> entities_of(const std::vector<Triple>& triples) {
  std::set<EntityId> entities;
  for (const Triple& t : triples) entities.insert({t.head, t.tail});
  return entities;
}

TEST(Split, DealsEveryTripleOutOnceInTheShareAskedFor) {
  const std::vector<Triple> all = some_triples();
  const SplitTriples splits = split_triples(all, kEntities, kRelations, {});
  EXPECT_EQ(splits[1].size(), all.size() / 20);
  EXPECT_EQ(splits[2].size(), all.size() / 20);
  std::multiset<Triple> dealt;
  for (const auto& split : splits) dealt.insert(split.begin(), split.end());
  EXPECT_EQ(dealt, std::multiset<Triple>(all.begin(), all.end()));
}

TEST(Split, LeavesEveryEntityAndRelationInTraining) {
  SplitOptions options;
  options.valid = options.test = 0.4;  // more than can leave
  const std::vector<Triple> all = some_triples();
  const SplitTriples splits = split_triples(all, kEntities, kRelations, options);
  EXPECT_EQ(entities_of(splits[0]), entities_of(all));
  std::set<RelationId> relations;
  for (const Triple& t : splits[0]) relations.insert(t.relation);
  EXPECT_EQ(relations.size(), static_cast<std::size_t>(kRelations));
}

TEST(Split, TakesNothingFromAGraphThatCanSpareNothing) {
  SplitOptions options;
  options.valid = options.test = 0.3;
  const std::vector<Triple> chain = {{0, 0, 1}, {2, 0, 3}, {4, 0, 4}};
  EXPECT_EQ(split_triples(chain, 5, 1, options)[0], chain);
}

TEST(Split, IsDecidedByTheSeed) {
  SplitOptions other;
  other.seed = 2;
  const auto one = split_triples(some_triples(), kEntities, kRelations, {});
  EXPECT_EQ(one, split_triples(some_triples(), kEntities, kRelations, {}));
  EXPECT_NE(one, split_triples(some_triples(), kEntities, kRelations, other));
}

TEST(Split, HoldsOutEntitiesOnPurposeAndNoOthers) {
  SplitOptions options;
  options.unseen_entities = 0.05;
  const std::vector<Triple> all = some_triples();
  const SplitTriples splits = split_triples(all, kEntities, kRelations, options);
  const std::set<EntityId> seen = entities_of(splits[0]), everyone = entities_of(all);
  EXPECT_EQ(everyone.size() - seen.size(), 15U);
  EXPECT_FALSE(splits[1].empty());
  EXPECT_FALSE(splits[2].empty());
}

TEST(Split, WarnsWhenUnseenEntitiesLeaveTheTestSplitNoOthers) {
  std::vector<std::string> warnings;
  set_log_sink([&](LogLevel, const std::string& message) { warnings.push_back(message); });
  SplitOptions options;
  options.unseen_entities = 0.02;
  options.test = 0.3;
  split_triples(some_triples(), kEntities, kRelations, options);
  EXPECT_TRUE(warnings.empty());
  options.valid = 0;
  options.test = 0.01;
  split_triples(some_triples(), kEntities, kRelations, options);
  set_log_sink(nullptr);
  EXPECT_THAT(warnings, ::testing::ElementsAre(::testing::HasSubstr("it gets no others to compare them with")));
}

TEST(Split, HoldsOutAnEntityWithALoop) {
  // Entity 1 has a loop and a neighbour that can do without it.
  const std::vector<Triple> triples = {{1, 0, 1}, {1, 0, 0}, {0, 0, 2}, {2, 0, 3}, {3, 0, 0}};
  SplitOptions options;
  options.unseen_entities = 0.9;
  const SplitTriples splits = split_triples(triples, 4, 1, options);
  EXPECT_FALSE(splits[0].empty());
  EXPECT_EQ(splits[0].size() + splits[1].size() + splits[2].size(), triples.size());
}

TEST(Split, RefusesSharesThatMakeNoSense) {
  const auto with = [](double valid, double test, double unseen) {
    SplitOptions options;
    options.valid = valid;
    options.test = test;
    options.unseen_entities = unseen;
    return split_triples({{0, 0, 1}}, 2, 1, options);
  };
  EXPECT_ERROR(with(-0.1, 0, 0), "the fraction of valid triples is -0.1");
  EXPECT_ERROR(with(0, 1, 0), "the fraction of test triples is 1");
  EXPECT_ERROR(with(0.5, 0.5, 0), "leave nothing to train on");
  EXPECT_ERROR(with(0, 0, 0.1), "a fraction of 0.1 unseen entities");
  EXPECT_ERROR(with(0, 0, std::nan("")), "the fraction of unseen entities is nan");
}

TEST(Split, DropsLaterRepetitionsAndKeepsTheOrder) {
  std::vector<Triple> triples = {{2, 0, 1}, {0, 0, 1}, {2, 0, 1}, {0, 1, 1}, {2, 0, 1}, {0, 0, 1}};
  const Finding dropped = drop_duplicates(triples, 3, [](const Triple& t) { return std::to_string(t.head); });
  EXPECT_THAT(triples, ::testing::ElementsAre(Triple{2, 0, 1}, Triple{0, 0, 1}, Triple{0, 1, 1}));
  EXPECT_EQ(dropped.count, 3U);
  EXPECT_THAT(dropped.examples, ::testing::ElementsAre("2", "2", "0"));
}

}  // namespace
}  // namespace hasa
