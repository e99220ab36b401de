#include "hasa/ops/graph/path_graph.h"

#include <map>
#include <set>
#include <tuple>

#include "hasa/base/testing.h"
#include "hasa/ops/graph/path_graphs_for_tests.h"

namespace hasa {
namespace {

std::int64_t at(const torch::Tensor& t, std::int64_t i) { return t[i].item<std::int64_t>(); }
std::int64_t at(const torch::Tensor& t, std::int64_t i, std::int64_t j) { return t[i][j].item<std::int64_t>(); }

PathGraph of(const std::vector<std::int64_t>& heads, const std::vector<std::int64_t>& relations,
             const std::vector<std::int64_t>& tails, std::int64_t entities, std::int64_t relation_count) {
  return make_path_graph(torch::tensor(heads, torch::kInt64), torch::tensor(relations, torch::kInt64),
                         torch::tensor(tails, torch::kInt64), entities, relation_count);
}

TEST(PathGraph, HoldsEachTripleInBothDirectionsInTheRowOfItsEnd) {
  const PathGraph graph = of({0, 2}, {1, 0}, {1, 1}, 4, 2);
  EXPECT_TRUE(torch::equal(graph.offsets, torch::tensor({0, 1, 3, 4, 4}, torch::kInt32)));
  // Into 0: 1 says it through relation 1 turned round (3). Into 1: 2 through 0, 0 through 1. Into 2: 1 through 2.
  EXPECT_TRUE(torch::equal(graph.edges, torch::tensor({{1, 3}, {2, 0}, {0, 1}, {1, 2}}, torch::kInt32)));
  EXPECT_TRUE(torch::equal(graph.degree, torch::tensor({1.0F, 2.0F, 1.0F, 0.0F})));
}

TEST(PathGraph, FindsTheTwinOfEveryEdgeLoopsAndCopiesIncluded) {
  const PathGraph graph = draw_triples(5, 60, 2).graph();
  std::set<std::int64_t> twins;
  for (std::int64_t e = 0; e < 5; ++e) {
    for (std::int64_t k = at(graph.offsets, e); k < at(graph.offsets, e + 1); ++k) {
      const std::int64_t twin = at(graph.offsets, at(graph.edges, k, 0)) + at(graph.twin_slot, k);
      EXPECT_EQ(at(graph.edges, twin, 0), e);
      EXPECT_EQ((at(graph.edges, twin, 1) + 2) % 4, at(graph.edges, k, 1));
      twins.insert(twin);
    }
  }
  EXPECT_EQ(twins.size(), 120U) << "two edges claim one twin";
}

TEST(PathGraph, HidesBothEdgesOfATripleAndCountsTheOthers) {
  const DrawnTriples drawn = draw_triples(6, 40, 3);
  const PathGraph graph = drawn.graph();
  const torch::Tensor hidden = torch::tensor({3, 17}, torch::kInt64);
  const VisibleEdges visible = hide_triples(graph, hidden);
  EXPECT_EQ((visible.edges.select(1, 0) == -1).sum().item<std::int64_t>(), 4);
  torch::Tensor degree = torch::zeros({6});
  for (std::int64_t t = 0; t < 40; ++t) {
    if (t == 3 || t == 17) continue;
    degree[at(drawn.heads, t)] += 1;
    degree[at(drawn.tails, t)] += 1;
  }
  EXPECT_TRUE(torch::equal(visible.degree, degree));
}

TEST(PathGraph, CutsRowsSoThatEveryEdgeIsInOneGroupAndEveryGroupInOnePart) {
  // A hub of 700 edges, 600 of them of one relation.
  const std::int64_t triples = 700;
  const torch::Tensor relations = (torch::arange(triples) >= 600).to(torch::kInt64);
  const PathGraph graph =
      make_path_graph(torch::arange(triples) + 1, relations, torch::zeros({triples}, torch::kInt64), triples + 2, 2);
  EXPECT_EQ(graph.longest_row, 700);
  std::vector<int> seen(2 * triples, 0), grouped(graph.groups.size(0), 0);
  for (std::int64_t p = 0; p < graph.parts.size(0); ++p) {
    std::int64_t edges = 0;
    for (std::int64_t g = at(graph.parts, p, 1); g < at(graph.parts, p, 2); ++g) {
      ++grouped[g];
      EXPECT_EQ(at(graph.groups, g, 2), at(graph.parts, p, 0));
      EXPECT_LE(at(graph.groups, g, 1) - at(graph.groups, g, 0), 128);
      for (std::int64_t k = at(graph.groups, g, 0); k < at(graph.groups, g, 1); ++k, ++edges) {
        ++seen[k];
        EXPECT_EQ((at(graph.edges, k, 1) + 2) % 4, at(graph.groups, g, 3));
      }
    }
    EXPECT_LE(edges, 256);
  }
  EXPECT_THAT(seen, ::testing::Each(1));
  EXPECT_THAT(grouped, ::testing::Each(1));
  ASSERT_EQ(graph.hubs.size(0), 1);
  EXPECT_EQ(at(graph.hubs, 0, 0), 0);
  EXPECT_EQ(at(graph.hubs, 0, 2) - at(graph.hubs, 0, 1), graph.hub_parts);
}

TEST(PathGraph, ListsEveryGroupUnderItsRelationOnce) {
  const PathGraph graph = draw_triples(40, 3000, 3).graph();
  std::vector<int> seen(graph.groups.size(0), 0);
  for (std::int64_t r = 0; r < 6; ++r) {
    for (std::int64_t p = at(graph.relation_offsets, r); p < at(graph.relation_offsets, r + 1); ++p) {
      EXPECT_EQ(at(graph.relation_parts, p, 0), r);
      for (std::int64_t i = at(graph.relation_parts, p, 1); i < at(graph.relation_parts, p, 2); ++i) {
        const std::int64_t group = at(graph.groups_of_relation, i);
        ++seen[group];
        EXPECT_EQ(at(graph.groups, group, 3), r);
      }
    }
  }
  EXPECT_THAT(seen, ::testing::Each(1));
}

TEST(PathGraph, CanBeEmpty) {
  const PathGraph graph = draw_triples(3, 0, 1).graph();
  EXPECT_EQ(graph.num_edges(), 0);
  EXPECT_EQ(graph.parts.size(0), 3) << "an entity without edges still has a row";
}

}  // namespace
}  // namespace hasa
