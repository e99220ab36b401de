#include "hasa/families/star/star_step.h"

#include <gmock/gmock.h>

#include "hasa/base/testing.h"
#include "hasa/kg/read_triples.h"

namespace hasa {
namespace {

using ::testing::ElementsAre;

/// a is linked to everything there is but d.
Graph graph_of_four_links() {
  ReadTriplesOptions all_training;
  all_training.split = {.valid = 0, .test = 0};
  return parse_triples({"t.tsv", "a\tr\ta\na\tr\tb\na\tr\tc\nd\ts\ta\n"}, {}, all_training);
}

TEST(FalseTails, AreNoKnownAnswersAndFollowTheTrueOne) {
  const Graph graph = graph_of_four_links();
  const KnownAnswers known = KnownAnswers::of_training(graph);
  const EntityId a = *graph.find_entity("a"), b = *graph.find_entity("b"), d = *graph.find_entity("d");
  Rng rng(1, "test", 0);
  const std::vector<Triple> batch = {{a, 0, b}};
  EXPECT_THAT(with_false_tails(batch, 3, graph.entities(), known, rng), ElementsAre(b, d, d, d));
}

TEST(FalseTails, AreMissingWhereEverythingIsTrue) {
  const Graph graph = graph_of_four_links();
  const EntityId a = *graph.find_entity("a"), b = *graph.find_entity("b");
  Rng rng(1, "test", 0);
  const std::vector<Triple> batch = {{a, 0, b}};
  // Among the first three entities there is none that a does not have.
  EXPECT_THAT(with_false_tails(batch, 2, /*entities=*/3, KnownAnswers::of_training(graph), rng),
              ElementsAre(b, -1, -1));
}

TEST(StarPlan, ReadsEveryDistinctTextOnceQueriesFirst) {
  const std::vector<Triple> batch = {{5, 1, 6}, {5, 1, 7}, {6, 0, 5}};
  const std::vector<EntityId> candidates = {6, 8, 7, 6, 5, -1};
  const StarPlan plan = plan_star_step(batch, candidates);
  EXPECT_THAT(plan.query, ElementsAre(0, 0, 1));
  EXPECT_THAT(plan.candidates, ElementsAre(2, 3, 4, 2, 5, -1));
  std::vector<std::pair<EntityId, RelationId>> texts;
  for (const TextRequest& text : plan.texts) texts.emplace_back(text.entity, text.relation);
  EXPECT_THAT(texts, ElementsAre(std::pair(5, 1), std::pair(6, 0), std::pair(6, -1), std::pair(8, -1), std::pair(7, -1),
                                 std::pair(5, -1)));
}

}  // namespace
}  // namespace hasa
