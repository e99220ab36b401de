#include "hasa/eval/breakdown.h"

#include <map>

#include "hasa/base/testing.h"
#include "hasa/eval/query_traits.h"
#include "hasa/kg/read_benchmark.h"

namespace hasa {
namespace {

/// a-b-c-d in a row, e apart; test: a pair that is linked, one three steps apart, one with an entity unseen in
/// training.
Graph graph() {
  return parse_benchmark({"small",
                          {"train.txt", "a\tr\tb\nb\tr\tc\nc\ts\td\nx\ts\ty\n"},
                          {"valid.txt", "a\tr\tc\n"},
                          {"test.txt", "b\ts\ta\na\tr\td\na\tr\te\nd\tr\tx\n"},
                          {},
                          {}});
}

std::vector<RankedQuery> ranked(const Graph& g) {
  std::vector<RankedQuery> ranked;
  std::int64_t better = 0;
  for (const Triple& query : with_inverses(g.triples(Split::test), g.relations())) ranked.push_back({query, better++});
  return ranked;
}

using Counts = std::vector<std::pair<std::string, std::int64_t>>;
std::map<std::string, Counts> counts_by_trait() {
  const Graph g = graph();
  std::map<std::string, Counts> counts;
  for (const Breakdown& breakdown : break_down(ranked(g), g)) {
    for (const Group& group : breakdown.groups) counts[breakdown.by].emplace_back(group.name, group.metrics.queries);
  }
  return counts;
}

TEST(Breakdown, PutsEveryQueryWhereItBelongs) {
  auto counts = counts_by_trait();
  EXPECT_EQ(counts["direction"], (Counts{{"tail asked", 4}, {"head asked", 4}}));
  EXPECT_EQ(counts["relation"], (Counts{{"r", 6}, {"s", 2}}));
  EXPECT_EQ(counts["cardinality"], (Counts{{"1-1, tail asked", 4}, {"1-1, head asked", 4}}));
  EXPECT_EQ(counts["answer_degree"], (Counts{{"0", 1}, {"1", 6}, {"2-3", 1}}));
  EXPECT_EQ(counts["given_degree"], (Counts{{"0", 1}, {"1", 6}, {"2-3", 1}}));
  EXPECT_EQ(counts["distance"], (Counts{{"1", 2}, {"3", 2}, {"unreachable", 4}}));
  EXPECT_EQ(counts["answer_seen"], (Counts{{"seen", 7}, {"unseen", 1}}));
  EXPECT_EQ(counts["entities_seen"], (Counts{{"both seen", 6}, {"answer unseen", 1}, {"given unseen", 1}}));
  EXPECT_EQ(counts["pair_linked"], (Counts{{"linked", 2}, {"not linked", 6}}));
}

TEST(Novelty, TellsQueriesAboutUnseenEntitiesFromTheOthers) {
  const Graph g = graph();
  const auto all = ranked(g);
  const auto groups = by_novelty(all, g);
  ASSERT_EQ(groups.size(), 2U);
  // (a, r, e) from either end: third and seventh of the queries, with ranks 3 and 7.
  EXPECT_EQ(groups[0].metrics.queries, 2);
  EXPECT_NEAR(groups[0].metrics.mrr, (1.0 / 3 + 1.0 / 7) / 2, 1e-12);
  EXPECT_EQ(groups[1].metrics.queries, 6);
  EXPECT_TRUE(by_novelty(std::span(all).first(2), g).empty());
}

TEST(Breakdown, GroupsAverageToTheWhole) {
  const Graph g = graph();
  const auto all = ranked(g);
  for (const Breakdown& breakdown : break_down(all, g)) {
    double sum = 0;
    for (const Group& group : breakdown.groups) {
      sum += group.metrics.mrr * static_cast<double>(group.metrics.queries);
      EXPECT_LE(group.intervals.mrr.low, group.metrics.mrr + 1e-12);
      EXPECT_GE(group.intervals.mrr.high, group.metrics.mrr - 1e-12);
    }
    EXPECT_NEAR(sum / static_cast<double>(all.size()), metrics_of(all).mrr, 1e-12) << breakdown.by;
  }
}

TEST(DegreeBucket, DoublesFromOneToTheNext) {
  EXPECT_EQ(degree_bucket_name(degree_bucket(0)), "0");
  EXPECT_EQ(degree_bucket_name(degree_bucket(1)), "1");
  EXPECT_EQ(degree_bucket_name(degree_bucket(3)), "2-3");
  EXPECT_EQ(degree_bucket_name(degree_bucket(4)), "4-7");
  EXPECT_EQ(degree_bucket_name(degree_bucket(1023)), "512-1023");
}

}  // namespace
}  // namespace hasa
