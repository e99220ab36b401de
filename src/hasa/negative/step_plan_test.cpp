#include "hasa/negative/step_plan.h"

#include <gmock/gmock.h>

#include <set>

#include "hasa/base/testing.h"
#include "hasa/kg/synthetic.h"

namespace hasa {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// 0 -r-> 1, 0 -r-> 2, 3 -r-> 1 and 0 -s-> 3 in training; six entities, two relations.
Graph graph() {
  GraphParts parts;
  for (const char* id : {"a", "b", "c", "d", "e", "f"}) parts.entities.add(id);
  for (const char* id : {"r", "s"}) parts.relations.add(id);
  parts.triples[0] = {{0, 0, 1}, {0, 0, 2}, {3, 0, 1}, {0, 1, 3}};
  return Graph(std::move(parts));
}

class StepPlanTest : public ::testing::Test {
 protected:
  StepPlan plan(const StepPlanOptions& options, std::vector<EntityId> mined = {}, std::vector<EntityId> near = {}) {
    StepPlanner planner(known_, graph_.entities(), config_, options);
    planner.plan({batch_, mined, near});  // scratch memory of one step must not show in the next
    return planner.plan({batch_, mined, near});
  }
  static std::vector<EntityId> entities(const StepPlan& plan) {
    std::vector<EntityId> ids;
    ids.reserve(static_cast<std::size_t>(plan.columns));
    for (std::int64_t i = 0; i < plan.columns; ++i) ids.push_back(plan.texts[static_cast<std::size_t>(i)].entity);
    return ids;
  }

  Graph graph_ = graph();
  KnownAnswers known_ = KnownAnswers::of_training(graph_);
  NegativesConfig config_;
  std::vector<StepTriple> batch_ = {{{0, 0, 1}, 0}, {{3, 0, 1}, 2}, {{3, 3, 0}, 3}};
};

TEST_F(StepPlanTest, ReadsEachEntityAndRelationOnce) {
  const StepPlan step = plan({}, {5, 1, 5});
  EXPECT_THAT(entities(step), ElementsAre(1, 0, 3, 5));
  EXPECT_EQ(step.candidates, 4);
  EXPECT_THAT(step.positive, ElementsAre(0, 0, 1));
  EXPECT_THAT(step.heads, ElementsAre(1, 2, 2));
  EXPECT_THAT(step.relations, ElementsAre(0, 0, 1));
  ASSERT_EQ(step.texts.size(), 6U);
  EXPECT_EQ(step.texts[4].relation, 0);
  EXPECT_EQ(step.texts[5].relation, 3);
  EXPECT_THAT(step.multiplicity, IsEmpty());
}

TEST_F(StepPlanTest, KeepsKnownAnswersOutOfTheNegatives) {
  // a r ?: b and c are known; d r ?: b; d s^-1 ?: a. Columns: b a d c.
  const StepPlan step = plan({}, {2});
  EXPECT_THAT(entities(step), ElementsAre(1, 0, 3, 2));
  EXPECT_THAT(step.no_negatives, ::testing::UnorderedElementsAre(0, 3, 4 + 0, 8 + 1));
}

TEST_F(StepPlanTest, KeepsTheAnswerAloneOutWhenAskedTo) {
  config_.kept_out = KeptOut::answer;
  EXPECT_THAT(plan({}, {2}).no_negatives, ::testing::UnorderedElementsAre(0, 4 + 0, 8 + 1));
}

TEST_F(StepPlanTest, NeighboursAreReadButAreNoCandidates) {
  const StepPlan step = plan({}, {}, {4, 1, -1, 0, 4, 4});
  EXPECT_THAT(entities(step), ElementsAre(1, 0, 3, 4));
  EXPECT_EQ(step.candidates, 3);
  EXPECT_THAT(step.neighbours, ElementsAre(3, 0, -1, 1, 3, 3));
  for (const std::int64_t place : step.no_negatives) EXPECT_LT(place % step.columns, step.candidates);
}

TEST_F(StepPlanTest, CountsRepeatedCandidatesOfAMultiset) {
  config_.multiset = true;
  EXPECT_THAT(plan({}, {5, 5, 0}, {4, 4, 4}).multiplicity, ElementsAre(2, 3, 2, 2, 1));
}

TEST_F(StepPlanTest, WithContextEveryTripleHasItsOwnTextsThatLeaveOutItsEdge) {
  const StepPlan step = plan({.joint = false, .context = true}, {1, 5});
  EXPECT_THAT(entities(step), ElementsAre(1, 1, 0, 0, 3, 3, 5));
  EXPECT_THAT(step.positive, ElementsAre(0, 1, 2));
  EXPECT_THAT(step.heads, ElementsAre(3, 4, 5));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(step.texts[static_cast<std::size_t>(step.positive[i])].left_out, batch_[i].number);
    EXPECT_EQ(step.texts[static_cast<std::size_t>(step.heads[i])].left_out, batch_[i].number);
  }
  EXPECT_EQ(step.texts[6].left_out, std::nullopt);
  // Both texts of b are answers of a r ?.
  EXPECT_THAT(step.no_negatives, ::testing::IsSupersetOf({0, 1}));
}

TEST_F(StepPlanTest, JointQueriesAreTextsOfTheirOwnAndSomeHeadsCandidates) {
  config_.heads = 0.4;  // two of three
  const StepPlan step = plan({.joint = true, .context = true});
  EXPECT_THAT(entities(step), ElementsAre(1, 1, 0, 0, 3));
  ASSERT_EQ(step.texts.size(), 8U);
  for (std::size_t i = 0; i < 3; ++i) {
    const TextRequest& query = step.texts[5 + i];
    EXPECT_EQ(query.entity, batch_[i].triple.head);
    EXPECT_EQ(query.relation, batch_[i].triple.relation);
    EXPECT_EQ(query.left_out, batch_[i].number);
  }
  EXPECT_THAT(step.heads, IsEmpty());
}

TEST(StepPlan, NoTextOfAQueryOrItsPositiveTellsTheEdgeBeingPredicted) {
  SyntheticOptions made;
  made.entities = 40;
  made.triples = 300;
  made.relations = 4;
  made.texts = false;
  const Graph graph = synthetic_graph(made);
  const KnownAnswers known = KnownAnswers::of_training(graph);
  const auto training = graph.triples(Split::train);
  std::vector<StepTriple> batch;
  for (std::uint32_t i = 0; i < training.size(); ++i) {
    batch.push_back({training[i], i});
    batch.push_back({inverse(training[i], graph.relations()), i});
  }
  for (const bool joint : {false, true}) {
    StepPlanner planner(known, graph.entities(), {}, {.joint = joint, .context = true});
    const StepPlan step = planner.plan({batch, {}, {}});
    const EntityContext context(graph, 1000);
    Rng rng(3);
    std::vector<Edge> told;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const std::size_t head =
          joint ? static_cast<std::size_t>(step.columns) + i : static_cast<std::size_t>(step.heads[i]);
      for (const std::size_t text : {head, static_cast<std::size_t>(step.positive[i])}) {
        const TextRequest& request = step.texts[text];
        context.choose(request.entity, request.left_out, rng, told);
        for (const Edge& edge : told) {
          const Triple seen{request.entity, edge.relation, edge.neighbour};
          EXPECT_NE(seen, batch[i].triple);
          EXPECT_NE(inverse(seen, graph.relations()), batch[i].triple);
        }
      }
    }
  }
}

}  // namespace
}  // namespace hasa
