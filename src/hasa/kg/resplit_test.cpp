#include "hasa/kg/resplit.h"

#include <map>
#include <set>

#include "hasa/base/testing.h"
#include "hasa/kg/read_triples.h"
#include "hasa/kg/synthetic.h"

namespace hasa {
namespace {

Graph some_graph() {
  SyntheticOptions options;
  options.entities = 300;
  options.triples = 3000;
  return synthetic_graph(options);
}

Graph split_by(const Graph& graph, SplitKind kind, std::uint64_t seed = 1) {
  return resplit(graph, {.kind = kind, .valid = 0.1, .test = 0.1, .seed = seed});
}

std::set<Triple> all_triples(const Graph& graph) {
  std::set<Triple> all;
  for (const Split split : kSplits) all.insert(graph.triples(split).begin(), graph.triples(split).end());
  return all;
}

TEST(Resplit, KeepsIdsTextsAndEveryTripleOnce) {
  const Graph graph = some_graph();
  for (const SplitKind kind :
       {SplitKind::random, SplitKind::stratified, SplitKind::inductive, SplitKind::leakage_free}) {
    SCOPED_TRACE(to_string(kind));
    const Graph again = split_by(graph, kind);
    EXPECT_EQ(all_triples(again), all_triples(graph));
    EXPECT_EQ(
        again.triples(Split::train).size() + again.triples(Split::valid).size() + again.triples(Split::test).size(),
        all_triples(graph).size());
    EXPECT_GT(again.triples(Split::test).size(), 200U);
    EXPECT_GT(again.triples(Split::valid).size(), 100U);
    for (EntityId e = 0; e < graph.entities(); e += 37) {
      EXPECT_EQ(again.entity_id(e), graph.entity_id(e));
      EXPECT_EQ(again.entity_description(e), graph.entity_description(e));
    }
    EXPECT_EQ(split_by(graph, kind).content_hash(), again.content_hash());
    EXPECT_NE(split_by(graph, kind, 2).content_hash(), again.content_hash());
  }
}

TEST(Resplit, NamesTheSplitWhereTheGraphSaysWhatItIs) {
  const Graph once = split_by(some_graph(), SplitKind::leakage_free, 7);
  EXPECT_THAT(once.audit().source, ::testing::EndsWith(", split by leakage-free, seed 7, 10% valid, 10% test"));
  const Graph twice = split_by(once, SplitKind::random);
  EXPECT_THAT(twice.audit().source, ::testing::EndsWith(", split by random, seed 1, 10% valid, 10% test"));
  EXPECT_THAT(twice.audit().source, ::testing::Not(::testing::HasSubstr("leakage")));
}

TEST(Resplit, LeakageFreeLeavesNoPairInTwoSplits) {
  const Graph graph = split_by(some_graph(), SplitKind::leakage_free);
  std::map<std::pair<EntityId, EntityId>, std::set<Split>> splits_of;
  for (const Split split : kSplits) {
    for (const Triple& t : graph.triples(split)) splits_of[std::minmax(t.head, t.tail)].insert(split);
  }
  for (const auto& [pair, splits] : splits_of) ASSERT_EQ(splits.size(), 1U) << pair.first << " " << pair.second;
  EXPECT_EQ(graph.audit().unseen_entities.count, 0U);
}

TEST(Resplit, InductiveTestsWholeEntitiesAlone) {
  const Graph graph = split_by(some_graph(), SplitKind::inductive);
  std::set<EntityId> seen;
  for (const Triple& t : graph.triples(Split::train)) seen.insert({t.head, t.tail});
  for (const Split split : {Split::valid, Split::test}) {
    for (const Triple& t : graph.triples(split)) ASSERT_FALSE(seen.contains(t.head) && seen.contains(t.tail));
  }
  EXPECT_EQ(graph.audit().unseen_relations.count, 0U);
}

TEST(Resplit, StratifiedTakesTheSameFractionOfEveryRelation) {
  const Graph graph = split_by(some_graph(), SplitKind::stratified);
  std::map<RelationId, double> all, test;
  for (const Split split : kSplits) {
    for (const Triple& t : graph.triples(split)) {
      ++all[t.relation];
      if (split == Split::test) ++test[t.relation];
    }
  }
  for (const auto& [relation, count] : all) EXPECT_NEAR(test[relation], 0.1 * count, 1.0) << relation;
}

TEST(Resplit, ByTimeTestsTheLatest) {
  std::string lines;
  for (int i = 0; i < 100; ++i)
    lines += fmt::format("e{}\tr\te{}\t{}\n", i % 10, (i * 7 + 1) % 13, 2000 + (i * 37) % 50);
  ReadTriplesOptions options;
  options.as.fields.columns = "1,2,3,4";
  const Graph graph = split_by(parse_triples({"t.tsv", lines}, {}, options), SplitKind::time);
  const auto [train_low, train_high] =
      std::minmax_element(graph.times(Split::train).begin(), graph.times(Split::train).end());
  const auto valid = graph.times(Split::valid), test = graph.times(Split::test);
  ASSERT_FALSE(valid.empty());
  ASSERT_FALSE(test.empty());
  EXPECT_LT(*train_high, *std::min_element(valid.begin(), valid.end()));
  EXPECT_LT(*std::max_element(valid.begin(), valid.end()), *std::min_element(test.begin(), test.end()));
  EXPECT_ERROR(split_by(some_graph(), SplitKind::time), "have no times to split by");
  EXPECT_ERROR(split_kind_of("size"), "there is no split by size; expected random, stratified");
}

TEST(Resplit, KeepsTimesWithTheirTriplesAlsoInAFile) {
  const testing::TempDir folder;
  ReadTriplesOptions options;
  options.as.fields.columns = "1,2,3,4";
  const Graph graph = parse_triples({"t.tsv", "a\tr\tb\t3\nb\tr\ta\t1\na\tr\tb\t9\n"}, {}, options);
  graph.save(folder / "g");
  const Graph opened = Graph::open(folder / "g");
  EXPECT_EQ(opened.content_hash(), graph.content_hash());
  EXPECT_THAT(opened.times(Split::train), ::testing::ElementsAre(3, 1));  // the repeated triple went
}

}  // namespace
}  // namespace hasa
