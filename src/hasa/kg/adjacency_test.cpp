#include "hasa/kg/adjacency.h"

#include <algorithm>

#include "hasa/base/testing.h"
#include "hasa/kg/synthetic.h"

namespace hasa {
namespace {

TEST(Adjacency, ShowsATripleFromBothEndsUnderOneNumber) {
  const std::vector<Triple> triples = {{0, 1, 2}, {2, 0, 1}};
  const Adjacency adjacency(triples, 4, 3);
  ASSERT_EQ(adjacency.edges(2).size(), 2U);
  const Edge incoming = adjacency.edges(2)[0], outgoing = adjacency.edges(2)[1];
  EXPECT_EQ(incoming.relation, 4);
  EXPECT_EQ(incoming.neighbour, 0);
  EXPECT_EQ(incoming.triple, 0U);
  EXPECT_EQ(outgoing.relation, 0);
  EXPECT_EQ(outgoing.neighbour, 1);
  EXPECT_EQ(outgoing.triple, 1U);
  EXPECT_TRUE(adjacency.edges(3).empty());
  EXPECT_EQ(adjacency.num_edges(), 4U);
}

TEST(Adjacency, GivesALoopTwoEdges) {
  const std::vector<Triple> triples = {{1, 0, 1}};
  const Adjacency adjacency(triples, 2, 1);
  ASSERT_EQ(adjacency.degree(1), 2U);
  EXPECT_EQ(adjacency.edges(1)[0].relation, 0);
  EXPECT_EQ(adjacency.edges(1)[1].relation, 1);
}

TEST(Adjacency, IsEmptyForNoTriples) { EXPECT_EQ(Adjacency({}, 3, 1).degree(2), 0U); }

TEST(Adjacency, HoldsExactlyTheTrainingTriplesAndTheirInverses) {
  const Graph graph = synthetic_graph({});
  const Adjacency adjacency(graph);
  const auto train = graph.triples(Split::train);
  EXPECT_EQ(adjacency.num_edges(), 2 * train.size());
  for (EntityId e = 0; e < graph.entities(); ++e) {
    for (const Edge& edge : adjacency.edges(e)) {
      const Triple seen{e, edge.relation, edge.neighbour};
      const Triple& triple = train[edge.triple];
      EXPECT_TRUE(seen == triple || seen == inverse(triple, graph.relations()));
    }
    EXPECT_TRUE(std::is_sorted(adjacency.edges(e).begin(), adjacency.edges(e).end(),
                               [](const Edge& a, const Edge& b) { return a.triple < b.triple; }));
  }
}

}  // namespace
}  // namespace hasa
