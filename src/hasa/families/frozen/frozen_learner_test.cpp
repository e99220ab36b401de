#include "hasa/families/frozen/frozen_learner.h"

#include <ATen/Context.h>

#include <map>
#include <set>

#include "hasa/base/testing.h"
#include "hasa/kg/read_triples.h"
#include "hasa/ops/score/unit_rows.h"

namespace hasa {
namespace {

/// Each triple has a relation and two entities of its own, so that the gradient of a relation's weights in the vector
/// context shows whether that triple's edge was read.
Graph separate_edges() {
  ReadTriplesOptions options;
  options.split = {.valid = 0, .test = 0};
  return parse_triples({"t.tsv", "a\tr0\tb\nc\tr1\td\ne\tr2\tf\ng\tr3\th\ni\tr4\tj\n"}, {}, options);
}

FrozenFamily family(std::int64_t batch) {
  FrozenFamily config;
  config.model.dim = 8;
  config.model.dropout = 0;
  config.train.batch = batch;
  return config;
}

TextEmbeddings made_up_texts(const Graph& graph) {
  torch::manual_seed(77);
  return {unit_rows(torch::randn({graph.entities(), 12})),
          unit_rows(torch::randn({graph.num_directed_relations(), 12})), "made up"};
}

/// The relations whose edges the vector context read in a step.
std::set<RelationId> relations_read(FrozenLearner& learner, std::int64_t step, std::int64_t relations) {
  for (const Parameter& each : learner.parameters()) each.tensor.mutable_grad() = torch::Tensor();
  learner.backward(step);
  std::set<RelationId> read;
  for (const Parameter& each : learner.parameters()) {
    if (each.name != "context.layer.0.relation") continue;
    const torch::Tensor rows = each.tensor.grad().abs().sum(1).gt(0);
    for (RelationId r = 0; r < 2 * relations; ++r) {
      if (rows[r].item<bool>()) read.insert(r % static_cast<RelationId>(relations));
    }
  }
  return read;
}

TEST(FrozenLearner, HidesExactlyTheEdgeBeingPredictedInEitherDirection) {
  const Graph graph = separate_edges();
  const std::vector<Triple> directed = with_inverses(graph.triples(Split::train), graph.relations());
  const auto count = static_cast<std::int64_t>(directed.size());
  ASSERT_EQ(count, 10);
  at::manual_seed(1);
  FrozenLearner learner(family(/*batch=*/1), made_up_texts(graph), {.graph = graph});
  BatchOrder order(1, count, 1);
  for (std::int64_t step = 0; step < count; ++step) {
    const Triple& asked = directed[static_cast<std::size_t>(order.rows_of(step)[0])];
    std::set<RelationId> others = {0, 1, 2, 3, 4};
    others.erase(asked.relation % static_cast<RelationId>(graph.relations()));
    EXPECT_EQ(relations_read(learner, step, graph.relations()), others) << "relation " << asked.relation;
  }
}

TEST(FrozenLearner, HidesAllEdgesOfThePairOrNoneByTheOtherRules) {
  ReadTriplesOptions options;
  options.split = {.valid = 0, .test = 0};
  const Graph graph = parse_triples({"t.tsv", "a\tr0\tb\nb\tr1\ta\nc\tr2\td\n"}, {}, options);
  const auto relation = [&](const char* id) { return *graph.find_relation(id); };
  const std::set<RelationId> all{0, 1, 2};
  const std::map<EdgeRule, std::map<RelationId, std::set<RelationId>>> expected{
      {EdgeRule::exact,
       {{relation("r0"), {relation("r1"), relation("r2")}},
        {relation("r1"), {relation("r0"), relation("r2")}},
        {relation("r2"), {relation("r0"), relation("r1")}}}},
      {EdgeRule::pair,
       {{relation("r0"), {relation("r2")}},
        {relation("r1"), {relation("r2")}},
        {relation("r2"), {relation("r0"), relation("r1")}}}},
      {EdgeRule::none, {{relation("r0"), all}, {relation("r1"), all}, {relation("r2"), all}}}};
  for (const auto& [rule, reads] : expected) {
    FrozenFamily config = family(/*batch=*/1);
    config.model.hidden_edges = rule;
    at::manual_seed(1);
    FrozenLearner learner(config, made_up_texts(graph), {.graph = graph});
    BatchOrder order(1, 6, 1);
    for (std::int64_t step = 0; step < 6; ++step) {
      const auto asked = static_cast<RelationId>(
          graph.triples(Split::train)[static_cast<std::size_t>(order.rows_of(step)[0] % 3)].relation);
      EXPECT_EQ(relations_read(learner, step, graph.relations()), reads.at(asked)) << asked;
    }
  }
}

TEST(FrozenLearner, ReadsNoEdgeIfAllAreBeingPredicted) {
  const Graph graph = separate_edges();
  at::manual_seed(1);
  FrozenLearner learner(family(/*batch=*/10), made_up_texts(graph), {.graph = graph});
  EXPECT_EQ(relations_read(learner, 0, graph.relations()), std::set<RelationId>{});
}

}  // namespace
}  // namespace hasa
