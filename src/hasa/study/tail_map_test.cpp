#include "hasa/study/tail_map.h"

#include <set>

#include "hasa/base/rng.h"
#include "hasa/base/testing.h"
#include "hasa/kg/synthetic.h"
#include "hasa/study/embeddings_study.h"

namespace hasa {
namespace {

using ::testing::HasSubstr;

Graph small_graph() { return synthetic_graph({.entities = 60, .relations = 3, .triples = 240, .groups = 4}); }

TEST(TailMap, FindsTheQueriesThatAreNamed) {
  const Graph graph = small_graph();
  const std::string entity(graph.entity_id(7)), relation(graph.relation_id(1));
  const Query query = parse_query(entity + " | " + relation, graph);
  EXPECT_EQ(query.given, 7);
  EXPECT_EQ(query.relation, 1);
  EXPECT_EQ(parse_query(entity + "|reverse of " + relation, graph).relation, 1 + graph.relations());
  EXPECT_EQ(parse_query(entity + " | " + graph.relation_text(1 + graph.relations()), graph).relation,
            1 + graph.relations());
  EXPECT_ERROR(parse_query(entity, graph), "is not ENTITY | RELATION");
  EXPECT_ERROR(parse_query("nobody | " + relation, graph), "has no entity nobody");
  EXPECT_ERROR(parse_query(entity + " | likes", graph), "0 relations of the graph are called likes");
}

TEST(TailMap, ChoosesTheQueriesWithMostAnswersOfDifferentRelations) {
  const Graph graph = small_graph();
  const KnownAnswers known = KnownAnswers::of_all_splits(graph);
  const auto queries = most_answered(graph, known, 3);
  ASSERT_EQ(queries.size(), 3U);
  std::set<RelationId> relations;
  for (const Query& query : queries) {
    relations.insert(query.relation);
    for (EntityId other = 0; other < graph.entities(); ++other)
      EXPECT_LE(known.tails(other, query.relation).size(), known.tails(query.given, query.relation).size());
  }
  EXPECT_EQ(relations.size(), 3U);
}

TEST(TailMap, DrawsOthersThatAreNeitherAnswersNorTheQuerysOwn) {
  const Graph graph = small_graph();
  const KnownAnswers known = KnownAnswers::of_all_splits(graph);
  const Query query = most_answered(graph, known, 1)[0];
  const QueryTails tails = draw_tails(graph, known, query, 10, 20, 1);
  EXPECT_EQ(tails.positive.size(), std::min<std::size_t>(20, known.tails(query.given, query.relation).size()));
  EXPECT_GE(tails.negative.size(), 10U);
  for (const EntityId each : tails.positive) EXPECT_TRUE(known.contains(query.given, query.relation, each));
  for (const EntityId each : tails.negative) {
    EXPECT_FALSE(known.contains(query.given, query.relation, each));
    EXPECT_NE(each, query.given);
  }
  EXPECT_EQ(draw_tails(graph, known, query, 10, 20, 1).negative, tails.negative);
  EXPECT_NE(draw_tails(graph, known, query, 10, 20, 2).negative, tails.negative);
}

/// 20 answers around one corner and 30 others around another, `apart` from each other.
TailMap map_of_clouds(double apart) {
  Rng rng(3);
  std::vector<float> values;
  for (int i = 0; i < 50; ++i) {
    for (int k = 0; k < 4; ++k) values.push_back(static_cast<float>((i < 20 ? apart : 0) + rng.uniform()));
  }
  const PointSet points{values, 50, 4};
  TailMap map = map_tails(points, nullptr, 20, {.perplexity = 8, .iterations = 200});
  map.query = "urban, reverse of instance hypernym";
  return map;
}

TEST(TailMap, MeasuresTheSeparationThatIsThere) {
  const TailMap apart = map_of_clouds(5), mixed = map_of_clouds(0);
  EXPECT_GT(apart.embedded.mean, 0.7);
  EXPECT_GT(apart.drawn.mean, 0.5);
  EXPECT_LT(apart.p_value, 0.01);
  EXPECT_LT(mixed.embedded.mean, 0.1);
  EXPECT_GT(mixed.p_value, 0.05);
  EXPECT_LT(apart.objective_after, apart.objective_before);
  EXPECT_GT(apart.neighbours_kept, 10.0 / 49);
}

TEST(EmbeddingsStudy, TurnsItsSentenceRoundWithTheData) {
  const auto verdict = [](const TailMap& map) {
    return embeddings_result({{"WN18RR", "a model", {map}}}).verdicts.at(0);
  };
  EXPECT_EQ(verdict(map_of_clouds(5)).agreement, Agreement::agrees);
  EXPECT_THAT(verdict(map_of_clouds(5)).sentence, HasSubstr("the answers of 1 of 1 queries lie closer"));
  EXPECT_NE(verdict(map_of_clouds(0)).agreement, Agreement::agrees);
  EXPECT_THAT(verdict(map_of_clouds(0)).sentence, HasSubstr("the answers of 0 of 1 queries lie closer"));
}

TEST(EmbeddingsStudy, ComparesTheTwoGraphsWhereBothAreThere) {
  const GraphMaps wordnet{"WN18RR", "", {map_of_clouds(5)}}, freebase{"FB15k-237", "", {map_of_clouds(1.5)}};
  EXPECT_THAT(embeddings_result({wordnet, freebase}).verdicts[0].sentence,
              HasSubstr("WN18RR's are further apart than FB15k-237's"));
  EXPECT_THAT(embeddings_result({{"WN18RR", "", freebase.maps}, {"FB15k-237", "", wordnet.maps}}).verdicts[0].sentence,
              HasSubstr("WN18RR's are no further apart than FB15k-237's"));
}

TEST(EmbeddingsStudy, MakesAPageOnWhichNamesAreReadAndThatNeedsNothing) {
  TailMap map = map_of_clouds(5);
  map.points[0].name = "Paris <b>";
  const std::string page = embeddings_page({{"WN18RR", "a model", {map}}});
  EXPECT_THAT(page, HasSubstr("known answers: Paris &lt;b&gt;"));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, ::testing::Not(HasSubstr("http://")));
}

}  // namespace
}  // namespace hasa
