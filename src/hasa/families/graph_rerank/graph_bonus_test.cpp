#include "hasa/families/graph_rerank/graph_bonus.h"

#include <gmock/gmock.h>

#include <array>

#include "hasa/base/testing.h"
#include "hasa/families/popularity/popularity_scorer.h"
#include "hasa/kg/read_triples.h"

namespace hasa {
namespace {

/// a - b - c - d in a row, whichever way the edges point, and e - f apart.
Graph row_of_four() {
  ReadTriplesOptions all_training;
  all_training.split = {.valid = 0, .test = 0};
  return parse_triples({"t.tsv", "a\tr\tb\nc\tr\tb\nc\tr\td\ne\tr\tf\n"}, {}, all_training);
}

TEST(WithinHops, FollowsEdgesBothWaysAndHoldsTheEntityItself) {
  const Graph graph = row_of_four();
  const Adjacency adjacency(graph);
  const auto id = [&](const char* name) { return *graph.find_entity(name); };
  EXPECT_THAT(within_hops(adjacency, id("a"), 0), ::testing::ElementsAre(id("a")));
  EXPECT_THAT(within_hops(adjacency, id("a"), 2), ::testing::ElementsAre(id("a"), id("b"), id("c")));
  EXPECT_THAT(within_hops(adjacency, id("b"), 1), ::testing::UnorderedElementsAre(id("a"), id("b"), id("c")));
  EXPECT_THAT(within_hops(adjacency, id("e"), 100), ::testing::UnorderedElementsAre(id("e"), id("f")));
}

TEST(GraphBonus, IsAddedToEntitiesNearTheGivenOne) {
  const Graph graph = row_of_four();
  const auto id = [&](const char* name) { return static_cast<std::int64_t>(*graph.find_entity(name)); };
  const torch::Tensor counts = torch::arange(6, torch::kFloat32).view({1, 6});  // by entity, whatever is asked
  const GraphBonusScorer scorer(std::make_unique<PopularityScorer>(counts), graph, /*hops=*/1, /*bonus=*/0.25);
  const std::array<Query, 2> queries{Query{static_cast<EntityId>(id("b")), 0}, {static_cast<EntityId>(id("e")), 1}};
  torch::Tensor expected = counts.repeat({2, 1});
  for (const char* near : {"a", "b", "c"}) expected[0][id(near)] += 0.25;
  for (const char* near : {"e", "f"}) expected[1][id(near)] += 0.25;
  const torch::Tensor scores = scorer.scores(queries);
  EXPECT_TRUE(torch::equal(scores, expected)) << scores;
  const torch::Tensor candidates = torch::tensor({4, 0, 3, 5}, torch::kInt64).view({2, 2});
  EXPECT_TRUE(torch::equal(scorer.scores_of(queries, candidates), scores.gather(1, candidates)));
}

}  // namespace
}  // namespace hasa
