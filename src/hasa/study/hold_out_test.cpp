#include "hasa/study/hold_out.h"

#include <algorithm>
#include <set>

#include "hasa/base/testing.h"
#include "hasa/kg/synthetic.h"

namespace hasa {
namespace {

std::vector<Triple> sorted(std::span<const Triple> triples) {
  std::vector<Triple> copy(triples.begin(), triples.end());
  std::ranges::sort(copy);
  return copy;
}

TEST(HoldOut, DealsTheTrainingTriplesIntoRetainedAndMissing) {
  const Graph graph = synthetic_graph({.entities = 100, .triples = 600, .split = {}});
  const Graph retained = hold_out(graph, 0.3, 1);
  const auto train = sorted(retained.triples(Split::train)), missing = sorted(retained.triples(Split::test));
  std::vector<Triple> together;
  std::ranges::merge(train, missing, std::back_inserter(together));
  EXPECT_EQ(together, sorted(graph.triples(Split::train)));
  EXPECT_EQ(missing.size(), std::llround(0.3 * static_cast<double>(together.size())));
  EXPECT_EQ(sorted(retained.triples(Split::valid)), sorted(graph.triples(Split::valid)));
  EXPECT_EQ(retained.entities(), graph.entities());
  EXPECT_EQ(retained.entity_description(7), graph.entity_description(7));
  EXPECT_EQ(sorted(hold_out(graph, 0.3, 1).triples(Split::test)), missing);
  EXPECT_NE(sorted(hold_out(graph, 0.3, 2).triples(Split::test)), missing);
}

TEST(HoldOut, KeepsTheOldTestSplitWhereTriplesAreLeftOut) {
  SyntheticOptions options;
  options.entities = 50;
  options.triples = 300;
  options.split.test = 0.2;
  const Graph graph = synthetic_graph(options);
  const Graph thinned = leave_out(graph, 0.3, 1);
  EXPECT_EQ(sorted(thinned.triples(Split::train)), sorted(hold_out(graph, 0.3, 1).triples(Split::train)));
  ASSERT_FALSE(graph.triples(Split::test).empty());
  EXPECT_EQ(sorted(thinned.triples(Split::test)), sorted(graph.triples(Split::test)));
}

TEST(HoldOut, LeavesNoCopyOfAMissingTripleInTraining) {
  GraphParts parts;
  for (const char* id : {"a", "b", "c"}) parts.entities.add(id);
  parts.relations.add("r");
  parts.triples[0] = {{0, 0, 1}, {1, 0, 2}, {0, 0, 1}, {2, 0, 0}};
  const Graph graph(std::move(parts));
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Graph retained = hold_out(graph, 0.34, seed);
    const auto train = retained.triples(Split::train);
    ASSERT_EQ(retained.triples(Split::test).size(), 1U);
    EXPECT_EQ(std::ranges::count(train, retained.triples(Split::test)[0]), 0);
  }
}

}  // namespace
}  // namespace hasa
