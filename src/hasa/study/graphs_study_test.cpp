#include "hasa/study/graphs_study.h"

#include <set>

#include "hasa/base/testing.h"
#include "hasa/kg/synthetic.h"

namespace hasa {
namespace {

using ::testing::HasSubstr;

/// Average number of others that share a triple with an entity, the slow way.
double linked_by_hand(const Graph& graph, const std::vector<Split>& splits) {
  std::set<std::pair<EntityId, EntityId>> pairs;
  for (const Split split : splits) {
    for (const Triple& triple : graph.triples(split)) {
      if (triple.head == triple.tail) continue;
      pairs.emplace(triple.head, triple.tail);
      pairs.emplace(triple.tail, triple.head);
    }
  }
  return static_cast<double>(pairs.size()) / static_cast<double>(graph.entities());
}

TEST(GraphsStudy, CountsDegreesAsByHand) {
  SyntheticOptions options;
  options.entities = 40;
  options.relations = 3;
  options.triples = 400;
  options.texts = false;
  const Graph graph = synthetic_graph(options);
  const CountedGraph counted = count_graph(graph, "made up");
  EXPECT_DOUBLE_EQ(counted.degrees.linked, linked_by_hand(graph, {Split::train}));
  EXPECT_DOUBLE_EQ(counted.degrees.linked_in_all, linked_by_hand(graph, {Split::train, Split::valid, Split::test}));
  const auto triples = counted.train + counted.valid + counted.test;
  ASSERT_GT(triples, 300) << "a dense graph";
  EXPECT_DOUBLE_EQ(counted.degrees.triples_in_all, static_cast<double>(2 * triples) / 40);
  double entities = 0, links = 0;
  for (std::size_t degree = 0; degree < counted.of_degree.size(); ++degree) {
    entities += static_cast<double>(counted.of_degree[degree]);
    links += static_cast<double>(counted.of_degree[degree]) * static_cast<double>(degree);
  }
  EXPECT_DOUBLE_EQ(entities, 40);
  EXPECT_DOUBLE_EQ(links / 40, counted.degrees.linked);
}

CountedGraph counted_with(const std::string& name, double linked, double triples) {
  return {.graph = name,
          .entities = 3,
          .degrees = {.linked = linked, .linked_in_all = linked, .triples = triples, .triples_in_all = triples},
          .of_degree = {1, 1, 1}};
}

TEST(GraphsStudy, TurnsItsSentenceRoundWithTheData) {
  const Verdict up = judge_degree(counted_with("WN18RR", 3.18, 4)), down = judge_degree(counted_with("WN18RR", 3.5, 4));
  EXPECT_EQ(up.claim, 10);
  EXPECT_EQ(up.agreement, Agreement::agrees);
  EXPECT_THAT(up.sentence, HasSubstr("the paper's 3.2 is one of these"));
  EXPECT_EQ(down.agreement, Agreement::disagrees);
  EXPECT_THAT(down.sentence, HasSubstr("the paper's 3.2 is none of these"));
  EXPECT_EQ(judge_degree(counted_with("FB15k-237", 29, 80.6)).agreement, Agreement::agrees);
}

TEST(GraphsStudy, SaysNothingOfThePapersDegreesOnOtherGraphs) {
  const StudyResult result = graphs_result({counted_with("animal", 3, 4)});
  EXPECT_TRUE(result.verdicts.empty());
  EXPECT_EQ(result.tables.at(0).rows.size(), 1U);
  EXPECT_EQ(graphs_result({counted_with("WN18RR", 3, 4)}).tables.at(0).rows.size(), 2U) << "with the paper's own line";
}

}  // namespace
}  // namespace hasa
