#include "hasa/input/entity_context.h"

#include <algorithm>
#include <set>
#include <string>

#include "hasa/base/testing.h"
#include "hasa/kg/read_triples.h"
#include "hasa/kg/synthetic.h"

namespace hasa {
namespace {

bool tells(const Edge& edge, EntityId at, const Triple& triple, RelationId relations) {
  const Triple seen{at, edge.relation, edge.neighbour};
  return seen == triple || inverse(seen, relations) == triple;
}

Graph random_graph(std::uint64_t seed) {
  SyntheticOptions options;
  options.entities = 40;
  options.relations = 3;
  options.triples = 500;
  options.texts = false;
  options.split.seed = seed;
  return synthetic_graph(options);
}

TEST(EntityContext, NeverContainsTheEdgeBeingPredictedAndHidesNothingElse) {
  const Graph graph = random_graph(1);
  const EntityContext context(graph, 1000);
  const Adjacency adjacency(graph);
  Rng rng(5);
  std::vector<Edge> chosen;
  const auto triples = graph.triples(Split::train);
  for (std::uint32_t i = 0; i < triples.size(); ++i) {
    for (const EntityId end : {triples[i].head, triples[i].tail}) {
      context.choose(end, i, rng, chosen);
      for (const Edge& edge : chosen) EXPECT_FALSE(tells(edge, end, triples[i], graph.relations()));
      const auto all = adjacency.edges(end);
      const auto others = std::count_if(
          all.begin(), all.end(), [&](const Edge& edge) { return !tells(edge, end, triples[i], graph.relations()); });
      EXPECT_EQ(static_cast<std::ptrdiff_t>(chosen.size()), others);
    }
  }
}

TEST(EntityContext, FillsTheChoiceThoughTheAskedEdgeWasDrawn) {
  const Graph graph = random_graph(2);
  const EntityContext context(graph, 3);
  const Adjacency adjacency(graph);
  Rng rng(6);
  std::vector<Edge> chosen;
  const auto triples = graph.triples(Split::train);
  for (std::uint32_t i = 0; i < triples.size(); ++i) {
    context.choose(triples[i].head, i, rng, chosen);
    EXPECT_EQ(chosen.size(), std::min<std::size_t>(3, adjacency.degree(triples[i].head) - 1));
  }
}

TEST(EntityContext, HidesBothEdgesOfALoopAndEveryCopyOfARepeatedTriple) {
  GraphParts parts;
  for (const char* id : {"a", "b"}) parts.entities.add(id);
  for (const char* id : {"r", "q"}) parts.relations.add(id);
  parts.triples[0] = {{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 0, 1}, {0, 1, 1}};
  const Graph graph(std::move(parts));
  const EntityContext context(graph, 8);
  Rng rng(7);
  std::vector<Edge> chosen;
  context.choose(0, 0, rng, chosen);
  EXPECT_EQ(chosen.size(), 5U);  // all but the two of the loop r
  context.choose(0, 3, rng, chosen);
  EXPECT_EQ(chosen.size(), 5U);  // all but r to b, which is there twice
  context.choose(1, 1, rng, chosen);
  ASSERT_EQ(chosen.size(), 1U);
  EXPECT_EQ(chosen[0].triple, 4U);
}

TEST(EntityContext, HidesEveryEdgeBetweenTheTwoOrNoneByTheOtherRules) {
  const Graph graph = random_graph(3);
  const EntityContext pair(graph, 1000, EdgeRule::pair), none(graph, 1000, EdgeRule::none);
  const Adjacency adjacency(graph);
  Rng rng(8);
  std::vector<Edge> chosen;
  const auto triples = graph.triples(Split::train);
  std::size_t hidden_besides = 0;
  for (std::uint32_t i = 0; i < triples.size(); ++i) {
    const auto [head, relation, tail] = triples[i];
    for (const auto& [end, other] : {std::pair(head, tail), std::pair(tail, head)}) {
      const auto all = adjacency.edges(end);
      const auto between = std::ranges::count(all, other, &Edge::neighbour);
      pair.choose(end, i, rng, chosen);
      EXPECT_EQ(std::ranges::count(chosen, other, &Edge::neighbour), 0);
      EXPECT_EQ(std::ssize(chosen), std::ssize(all) - between);
      hidden_besides += static_cast<std::size_t>(between - 1);
      none.choose(end, i, rng, chosen);
      EXPECT_EQ(chosen.size(), all.size());
    }
  }
  EXPECT_GT(hidden_besides, 0U) << "the graph has pairs with several edges, or the rules would be one";
}

TEST(EntityContext, ReadsTrainingTriplesAlone) {
  SyntheticOptions options;
  options.entities = 50;
  options.triples = 300;
  options.split.valid = options.split.test = 0.2;
  options.texts = false;
  const Graph graph = synthetic_graph(options);
  const EntityContext context(graph, 1000);
  std::vector<Edge> chosen;
  std::size_t edges = 0;
  for (EntityId entity = 0; entity < graph.entities(); ++entity) {
    context.choose(entity, /*draw=*/0, chosen);
    edges += chosen.size();
    for (const Edge& edge : chosen) {
      EXPECT_TRUE(tells(edge, entity, graph.triples(Split::train)[edge.triple], graph.relations()));
    }
  }
  EXPECT_EQ(edges, 2 * graph.triples(Split::train).size());
}

TEST(EntityContext, OfEvaluationHasAChoiceOfItsOwnForEachDraw) {
  std::string lines;
  for (int i = 0; i < 40; ++i) lines += "a\tr\tb" + std::to_string(i) + "\n";
  const Graph graph = parse_triples({"t.tsv", lines}, {}, {}, {});
  const EntityContext context(graph, 8);
  std::set<std::uint32_t> told;
  for (std::uint32_t draw = 0; draw < 80; ++draw) {
    std::vector<Edge> once, again;
    context.choose(*graph.find_entity("a"), draw, once);
    context.choose(*graph.find_entity("a"), draw, again);
    ASSERT_EQ(once.size(), 8U);
    for (std::size_t i = 0; i < once.size(); ++i) {
      EXPECT_EQ(once[i].triple, again[i].triple);
      told.insert(once[i].triple);
    }
  }
  EXPECT_EQ(told.size(), 40U);  // one is missed by all of them once in a million times
}

TEST(EntityContext, DrawsEveryEdgeEquallyOften) {
  const Graph graph = parse_triples({"t.tsv", "a\tr\tb\na\tr\tc\na\tr\td\na\tr\te\na\tr\tf\n"}, {}, {}, {});
  const EntityContext context(graph, 2);
  Rng rng(8);
  std::vector<Edge> chosen;
  std::vector<int> times(5);
  constexpr int kDraws = 20000;
  for (int i = 0; i < kDraws; ++i) {
    context.choose(*graph.find_entity("a"), std::nullopt, rng, chosen);
    for (const Edge& edge : chosen) ++times[edge.triple];
  }
  for (const int count : times) EXPECT_NEAR(count, kDraws * 0.4, 400);  // six standard deviations
}

TEST(EntityContext, ShowsOneEdgeFewerInTrainingThoughNoneIsPredicted) {
  const Graph graph = random_graph(3);
  const EntityContext context(graph, 1000);
  const Adjacency adjacency(graph);
  Rng rng(9);
  std::vector<Edge> chosen;
  for (EntityId entity = 0; entity < graph.entities(); ++entity) {
    const std::size_t degree = adjacency.degree(entity);
    context.choose(entity, std::nullopt, rng, chosen);
    if (degree == 0) {
      EXPECT_EQ(chosen.size(), 0U);
      continue;
    }
    EXPECT_LT(chosen.size(), degree);
    EXPECT_GE(chosen.size() + 2, degree);  // a loop has two edges
  }
}

}  // namespace
}  // namespace hasa
