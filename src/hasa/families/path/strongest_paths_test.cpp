#include "hasa/families/path/strongest_paths.h"

#include <ATen/Context.h>

#include <set>

#include "hasa/base/testing.h"
#include "hasa/families/path/path_graphs_for_tests.h"
#include "hasa/families/path/path_learner.h"
#include "hasa/nn/tensor_file.h"

namespace hasa {
namespace {

PathModel make_model(const Graph& graph, Aggregation how, std::int64_t layers) {
  at::manual_seed(11);
  PathModelConfig config;
  config.dim = 8;
  config.layers = layers;
  config.aggregation = how;
  return {config, graph.relations(), torch::kCPU};
}

bool stands_in(const Graph& graph, const WalkedEdge& edge) {
  for (const Triple& triple : graph.triples(Split::train)) {
    for (const Triple& t : {triple, inverse(triple, graph.relations())}) {
      if (t.head == edge.from && t.relation == edge.relation && t.tail == edge.to) return true;
    }
  }
  return false;
}

TEST(StrongestPaths, LeadAlongEdgesFromTheQueryToTheAnswerStrongestFirst) {
  const Graph graph = testing::citizens(12, 4, 2);
  for (const Aggregation how : {Aggregation::pna, Aggregation::sum}) {
    const PathModel model = make_model(graph, how, 3);
    const EntityId from = *graph.find_entity("person3"), to = *graph.find_entity("country1");
    const auto paths = strongest_paths(model, training_paths(graph), {from, 0}, to, 20);
    ASSERT_GT(paths.size(), 3U);
    std::set<std::string> seen;
    for (std::size_t i = 0; i < paths.size(); ++i) {
      EXPECT_EQ(paths[i].edges.front().from, from);
      EXPECT_EQ(paths[i].edges.back().to, to);
      EXPECT_LE(paths[i].edges.size(), 3U);
      for (std::size_t e = 0; e < paths[i].edges.size(); ++e) {
        EXPECT_TRUE(stands_in(graph, paths[i].edges[e]));
        if (e > 0) EXPECT_EQ(paths[i].edges[e].from, paths[i].edges[e - 1].to);
        EXPECT_NE(paths[i].edges[e].from, to) << "an answer is not walked through";
      }
      if (i > 0) EXPECT_LE(paths[i].weight, paths[i - 1].weight);
      EXPECT_TRUE(seen.insert(path_in_words(paths[i], graph)).second) << "a path came twice";
    }
  }
}

TEST(StrongestPaths, OfOneLayerWeighWhatTheScoreLosesWithoutTheEdge) {
  // With one layer and the sum, leaving the only edge out takes its message away; the weight is that to first order:
  // the gradient in a factor before the message, which is the gradient in the relation's vector along itself.
  const Graph graph = testing::graph_of("a\tr\tb\nc\tr\tb\n", "", "");
  const PathModel model = make_model(graph, Aggregation::sum, 1);
  const PathGraph edges = training_paths(graph);
  const EntityId a = *graph.find_entity("a"), b = *graph.find_entity("b");
  const auto paths = strongest_paths(model, edges, {a, 1}, b, 5);
  ASSERT_EQ(paths.size(), 1U);
  const PathBatchPtr batch = make_path_batch(edges, torch::tensor({std::int64_t{a}}), {}, 1);
  const auto score = [&] { return model.scores(batch, torch::tensor({std::int64_t{1}}))[0][b]; };
  // The relation's vector is a row of map.weight times q plus its bias: scaling both scales the message.
  torch::Tensor weight, bias;
  for (const NamedTensor& p : model.parameters()) {
    if (p.name == "layer.0.map.weight") weight = p.tensor;
    if (p.name == "layer.0.map.bias") bias = p.tensor;
  }
  score().backward();
  const double expected =
      ((weight.grad() * weight.detach()).slice(0, 0, 8).sum() + (bias.grad() * bias.detach()).slice(0, 0, 8).sum())
          .item<double>();
  EXPECT_NEAR(paths[0].weight, expected, 1e-5 * (1 + std::abs(expected)));
}

TEST(StrongestPaths, NameTheRuleThatWasLearnedAndNotTheOneThatHappensToHold) {
  const Graph graph = testing::citizens_who_like_things();
  PathFamily config;
  config.model.dim = 16;
  config.model.layers = 2;
  config.optimiser.lr = 5e-3;
  config.train.batch = 16;
  const testing::TempDir dir;
  at::manual_seed(3);
  PathLearner learner(config, TrainContext{graph, dir.path(), torch::kCPU, 3});
  for (std::int64_t step = 0; step < 200; ++step) (void)learner.step(step, 1.0);
  learner.save_model(dir.path(), {});
  const PathModel model(config.model, graph.relations(), torch::kCPU);
  copy_into(model.parameters(), load_tensors(dir / "model.safetensors"));
  const PathGraph edges = training_paths(graph);
  int named = 0;
  for (const Triple& triple : graph.triples(Split::test)) {
    const auto paths = strongest_paths(model, edges, query_of(triple), triple.tail, 5);
    ASSERT_EQ(paths.size(), 2U) << "by the city and by the thing";
    named += graph.relation_id(paths[0].edges[0].relation) == "lives_in" ? 1 : 0;
  }
  EXPECT_GE(named, 10) << "of 12";
}

TEST(StrongestPaths, AreNoneWhereNothingLeads) {
  const Graph graph = testing::graph_of("a\tr\tb\nx\tr\ty\n", "", "");
  const PathModel model = make_model(graph, Aggregation::pna, 2);
  const EntityId a = *graph.find_entity("a");
  EXPECT_TRUE(strongest_paths(model, training_paths(graph), {a, 0}, *graph.find_entity("y"), 3).empty());
  EXPECT_TRUE(strongest_paths(model, training_paths(graph), {a, 0}, a, 3).empty());
  EXPECT_ERROR(strongest_paths(model, training_paths(graph), {a, 0}, 99, 3), "no entity number 99");
}

TEST(StrongestPaths, AreWrittenInTheGraphsWords) {
  const Graph graph = testing::graph_of("a\tr\tb\nc\tr\tb\n", "", "");
  const auto id = [&](const char* name) { return *graph.find_entity(name); };
  const StrongPath path{{{id("a"), 0, id("b")}, {id("b"), 1, id("c")}}, 1.0};
  EXPECT_EQ(path_in_words(path, graph), "a -r-> b -reverse of r-> c");
}

}  // namespace
}  // namespace hasa
