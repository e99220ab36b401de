#include "hasa/families/path/path_model.h"

#include <ATen/Context.h>

#include <limits>
#include <map>
#include <utility>

#include "hasa/base/testing.h"
#include "hasa/families/path/path_graphs_for_tests.h"
#include "hasa/families/path/path_scorer.h"
#include "hasa/ops/core/device.h"

namespace hasa {
namespace {

PathModelConfig small_config() {
  PathModelConfig config;
  config.dim = 8;
  config.layers = 2;
  return config;
}

PathModel make_model(const Graph& graph, const PathModelConfig& config, const torch::Device& device = torch::kCPU) {
  at::manual_seed(5);
  return {config, graph.relations(), device};
}

/// The same with texts of three numbers.
PathModel make_text_model(const Graph& graph, const PathModelConfig& config) {
  PathModel model = make_model(graph, config);
  model.add_texts(torch::randn({graph.entities(), 3}), 8);
  return model;
}

TEST(PathModel, GivesOneScoreToAllThatNoPathReaches) {
  const Graph graph = testing::graph_of("a\tr\tb\nb\tr\tc\nc\tr\td\nd\tr\te\nx\tr\ty\n", "", "");
  const PathScorer scorer(make_model(graph, small_config()), training_paths(graph));
  const torch::Tensor scores = scorer.scores(std::array{Query{*graph.find_entity("a"), 0}})[0];
  const auto of = [&](const char* id) { return scores[*graph.find_entity(id)].item<float>(); };
  EXPECT_EQ(of("d"), of("x"));
  EXPECT_EQ(of("x"), of("y"));
  EXPECT_NE(of("c"), of("d"));
}

TEST(PathModel, KnowsEntitiesByTheirPathsAlone) {
  // b and c stand alike to a; d does not.
  const Graph graph = testing::graph_of("a\tr\tb\na\tr\tc\nb\ts\td\nc\ts\td\n", "", "");
  for (const Aggregation how : {Aggregation::pna, Aggregation::sum}) {
    PathModelConfig config = small_config();
    config.aggregation = how;
    const PathScorer scorer(make_model(graph, config), training_paths(graph));
    const torch::Tensor scores = scorer.scores(std::array{Query{*graph.find_entity("a"), 0}})[0];
    const auto of = [&](const char* id) { return scores[*graph.find_entity(id)].item<float>(); };
    EXPECT_EQ(of("b"), of("c"));
    EXPECT_NE(of("b"), of("d"));
  }
}

TEST(PathModel, AnswersAQueryTheSameWhateverItIsAskedWith) {
  const Graph graph = testing::citizens();
  const PathScorer scorer(make_model(graph, small_config()), training_paths(graph));
  const std::array<Query, 4> queries{Query{0, 0}, {5, 2}, {0, 0}, {9, 4}};
  const torch::Tensor together = scorer.scores(queries);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const torch::Tensor alone = scorer.scores(std::span(queries).subspan(i, 1))[0];
    EXPECT_TRUE(torch::allclose(together[static_cast<std::int64_t>(i)], alone, 1e-5, 1e-5));
  }
  const torch::Tensor chosen = torch::tensor({0, 1, 2, 3, 4, 5, 6, 7}).view({4, 2});
  EXPECT_TRUE(torch::equal(scorer.scores_of(queries, chosen), together.gather(1, chosen)));
  EXPECT_TRUE(torch::equal(together[0], together[2]));
}

TEST(PathModel, HasTheGradientsOfFiniteDifferences) {
  const Graph graph = testing::citizens(6, 3, 2);
  for (const auto& [dependent, texts] : {std::pair(true, false), std::pair(false, false), std::pair(false, true)}) {
    PathModelConfig config = small_config();
    config.dependent = dependent;
    // A text changes the start and with it every message: the sum has no maximum that changes hands.
    if (texts) config.aggregation = Aggregation::sum;
    const PathModel model = texts ? make_text_model(graph, config) : make_model(graph, config);
    const PathBatchPtr batch = make_path_batch(training_paths(graph), torch::tensor({0, 4}), torch::tensor({2}), 2);
    const torch::Tensor relations = torch::tensor({1, 3});
    torch::manual_seed(8);
    const torch::Tensor direction = torch::randn({2, graph.entities()});
    const auto value = [&] { return (model.scores(batch, relations) * direction).sum(); };
    value().backward();
    for (const NamedTensor& parameter : model.parameters()) {
      // In float32, along a random direction of length 1: so short a step hardly ever changes which message is the
      // greatest, and is long enough for rounding.
      torch::Tensor along = torch::randn(parameter.tensor.sizes());
      along = along / along.norm();
      const double slope = (parameter.tensor.grad() * along).sum().item<double>();
      const double step = 2e-3;
      const torch::Tensor kept = parameter.tensor.detach().clone();
      const auto at = [&](double by) {
        torch::Tensor target = parameter.tensor.detach();
        target.copy_(kept + by * along);
        const double result = value().item<double>();
        target.copy_(kept);
        return result;
      };
      const double measured = (at(step) - at(-step)) / (2 * step);
      EXPECT_NEAR(slope, measured, 0.05 * (1 + std::abs(measured))) << parameter.name;
    }
  }
}

TEST(PathModel, WithTextsTellsApartWhatNoPathTellsApart) {
  const Graph graph = testing::graph_of("a\tr\tb\na\tr\tc\nx\tr\ty\n", "", "");
  const PathScorer scorer(make_text_model(graph, small_config()), training_paths(graph));
  const torch::Tensor scores = scorer.scores(std::array{Query{*graph.find_entity("a"), 0}})[0];
  const auto of = [&](const char* id) { return scores[*graph.find_entity(id)].item<float>(); };
  EXPECT_NE(of("b"), of("c"));
  EXPECT_NE(of("x"), of("y")) << "never reached";
}

TEST(PathModel, WithTextsThatSayNothingScoresAsWithout) {
  const Graph graph = testing::citizens();
  const PathModel without = make_model(graph, small_config());
  PathModel with = without;
  with.add_texts(torch::randn({graph.entities(), 3}), 4);
  for (const NamedTensor& parameter : with.parameters()) {
    const bool weighs = parameter.name == "text.start" || parameter.name == "text.match" || parameter.name == "text.own";
    if (weighs) torch::Tensor(parameter.tensor.detach()).zero_();
  }
  const PathGraph paths = training_paths(graph);
  const std::array<Query, 3> queries{Query{0, 0}, {5, 2}, {9, 4}};
  EXPECT_TRUE(torch::allclose(PathScorer(with, paths).scores(queries), PathScorer(without, paths).scores(queries), 1e-5,
                              1e-5));
}

TEST(PathModel, ReadsTextsAsItsFormulaSays) {
  const Graph graph = testing::citizens(6, 3, 2);
  const PathModel model = make_text_model(graph, small_config());
  const PathBatchPtr batch = make_path_batch(training_paths(graph), torch::tensor({0, 4}), {}, 2);
  const torch::Tensor relations = torch::tensor({1, 3});
  PathModel::Trace trace;
  const torch::Tensor scores = model.scores(batch, relations, &trace).detach();
  std::map<std::string, torch::Tensor> p;
  for (const NamedTensor& each : model.parameters()) p[each.name] = each.tensor.detach();
  // The states after the last layer are not in the trace, so what is compared is an entity that no path reaches.
  const torch::Tensor unreached = (batch->position == std::numeric_limits<std::int32_t>::max()).nonzero();
  ASSERT_GT(unreached.size(0), 0);
  const std::int64_t candidate = unreached[0][0].item<std::int64_t>(), query = unreached[0][1].item<std::int64_t>();
  const torch::Tensor texts = model.texts();
  const auto v = [&](std::int64_t entity) {
    const torch::Tensor x = torch::mv(p["text.project.weight"], texts[entity]) + p["text.project.bias"];
    return (x - x.mean()) / (x.var(/*unbiased=*/false) + 1e-5).sqrt() * p["text.norm.weight"] + p["text.norm.bias"];
  };
  const torch::Tensor asked = v(batch->heads[query].item<std::int64_t>()) * p["text.relation"][relations[query]];
  const torch::Tensor q = p["query"][relations[query]];
  const torch::Tensor hidden = torch::mv(p["hidden.weight"].slice(1, 8), q) + p["hidden.bias"] +
                               torch::mv(p["text.match"], asked * v(candidate)) +
                               torch::mv(p["text.own"], v(candidate));
  const double expected = (torch::mv(p["score.weight"], torch::relu(hidden)) + p["score.bias"]).item<double>();
  EXPECT_NEAR(scores[query][candidate].item<double>(), expected, 1e-4);
}

TEST(PathModelGpu, ScoresAsOnTheCpuWithinBFloat16) {
  if (!cuda_is_available()) GTEST_SKIP() << "no GPU";
  const Graph graph = testing::citizens();
  PathModelConfig config;
  config.layers = 4;
  const PathModel there = make_model(graph, config, torch::kCUDA);
  const PathScorer gpu(there, training_paths(graph).to(torch::kCUDA)), cpu(there.on_cpu(), training_paths(graph));
  const std::array<Query, 3> queries{Query{0, 0}, {5, 2}, {9, 4}};
  const torch::Tensor a = gpu.scores(queries).cpu(), b = cpu.scores(queries);
  // Four layers round their states to 8 bits.
  EXPECT_LT((a - b).abs().max().item<float>(), 0.05F * (1 + b.abs().max().item<float>()));
}

}  // namespace
}  // namespace hasa
