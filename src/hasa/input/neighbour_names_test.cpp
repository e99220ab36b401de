#include "hasa/input/neighbour_names.h"

#include <gmock/gmock.h>

#include "hasa/base/testing.h"
#include "hasa/kg/read_triples.h"

namespace hasa {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// a is linked to b twice, to c and to itself; d is described at length.
Graph graph_of_four() {
  ReadTriplesOptions all_training;
  all_training.split = {.valid = 0, .test = 0};
  return parse_triples({"t.tsv", "a\tr\tb\na\ts\tb\nc\tr\ta\na\tr\ta\nd\tr\tc\n"},
                       NamedText{"x.tsv", "a\ta\ttwo words\nb\tb\t\nc\tc\tone\nd\td\tthere are four words\n"},
                       all_training);
}

std::vector<EntityId> of(const NeighbourNames& names, const Graph& graph, const char* id) {
  const auto found = names.of(*graph.find_entity(id));
  return {found.begin(), found.end()};
}

TEST(NeighbourNames, AreThoseOfAllTrainingLinksOnceEachAndNeverItsOwn) {
  const Graph graph = graph_of_four();
  const NeighbourNames names(graph, 10, 20);
  const auto id = [&](const char* name) { return *graph.find_entity(name); };
  EXPECT_THAT(of(names, graph, "a"), ::testing::UnorderedElementsAre(id("b"), id("c")));
  EXPECT_THAT(of(names, graph, "b"), ElementsAre(id("a")));
  EXPECT_TRUE(names.contains(id("b"), id("a")));
  EXPECT_FALSE(names.contains(id("b"), id("c")));
}

TEST(NeighbourNames, FollowShortDescriptionsAlone) {
  const Graph graph = graph_of_four();
  EXPECT_THAT(of(NeighbourNames(graph, 10, 4), graph, "d"), IsEmpty());
  EXPECT_THAT(of(NeighbourNames(graph, 10, 5), graph, "d"), ElementsAre(*graph.find_entity("c")));
  EXPECT_THAT(of(NeighbourNames(graph, 10, 1), graph, "c"), IsEmpty());
  EXPECT_THAT(of(NeighbourNames(graph, 10, 1), graph, "b"), ElementsAre(*graph.find_entity("a")));
}

TEST(NeighbourNames, AreNoMoreThanAskedFor) {
  const Graph graph = graph_of_four();
  EXPECT_EQ(of(NeighbourNames(graph, 1, 20), graph, "a").size(), 1U);
}

}  // namespace
}  // namespace hasa
