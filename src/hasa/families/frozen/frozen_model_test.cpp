#include "hasa/families/frozen/frozen_model.h"

#include <string>

#include "hasa/base/testing.h"
#include "hasa/model/queries_for_tests.h"
#include "hasa/nn/tensor_file.h"

namespace hasa {
namespace {

/// Five entities, two relations; entity 4 is in no training triple.
Graph graph_of(std::vector<Triple> training) {
  GraphParts parts;
  for (const char* id : {"a", "b", "c", "d", "e"}) parts.entities.add(id);
  for (const char* id : {"r", "s"}) parts.relations.add(id);
  parts.triples[0] = std::move(training);
  return Graph(std::move(parts));
}

const std::vector<Triple> kTraining{{0, 0, 1}, {1, 1, 2}, {0, 1, 3}, {3, 0, 2}};

TextEmbeddings texts() {
  const auto generator = torch::randn({5 + 4, 6});
  return {generator.slice(0, 0, 5), generator.slice(0, 5), "made up"};
}

constexpr FrozenModelConfig kSmall{.dim = 8, .context_layers = 1, .dropout = 0.3, .scale = 20};

class FrozenModelTest : public ::testing::Test {
 protected:
  FrozenModelTest() { torch::manual_seed(4); }
};

/// The same weights in a model of another graph or config.
FrozenModel with_weights_of(const FrozenModel& model, const FrozenModelConfig& config, const TextEmbeddings& t,
                            const Graph& g) {
  FrozenModel other(config, t, g, torch::kCPU);
  TensorFile weights;
  for (const NamedTensor& p : model.parameters()) weights.tensors.emplace(p.name, p.tensor.detach());
  copy_into(other.parameters(), weights);
  return other;
}

TEST_F(FrozenModelTest, GivesUnitVectorsAndStartsAtTheScaleAskedFor) {
  const FrozenModel model(kSmall, texts(), graph_of(kTraining), torch::kCPU);
  const torch::Tensor entities = model.entities({}, false), relations = model.relations(false);
  EXPECT_EQ(entities.sizes(), (std::vector<std::int64_t>{5, 8}));
  EXPECT_EQ(relations.sizes(), (std::vector<std::int64_t>{4, 8}));
  EXPECT_TRUE(torch::allclose(entities.norm(2, 1), torch::ones({5})));
  EXPECT_TRUE(torch::allclose(relations.norm(2, 1), torch::ones({4})));
  const torch::Tensor queries = model.queries(entities, relations, torch::tensor({0, 3, 1, 2, 0}, torch::kInt64));
  EXPECT_TRUE(torch::allclose(queries.norm(2, 1), torch::ones({5})));
  EXPECT_NEAR(model.scale().item<double>(), 20, 1e-4);
}

TEST_F(FrozenModelTest, SeesALeftOutTripleNoMoreThanIfTheGraphHadNone) {
  const TextEmbeddings t = texts();
  const FrozenModel model(kSmall, t, graph_of(kTraining), torch::kCPU);
  for (std::size_t left_out = 0; left_out < kTraining.size(); ++left_out) {
    std::vector<Triple> others = kTraining;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(left_out));
    torch::Tensor keep = torch::ones({4}, torch::kBool);
    keep[static_cast<std::int64_t>(left_out)] = false;
    const FrozenModel without = with_weights_of(model, kSmall, t, graph_of(others));
    EXPECT_TRUE(torch::allclose(model.entities(keep, false), without.entities({}, false), 1e-5, 1e-6));
    EXPECT_FALSE(torch::allclose(model.entities(keep, false), model.entities({}, false), 1e-3, 1e-3));
  }
}

TEST_F(FrozenModelTest, WithoutContextLayersReadsTheTextsAlone) {
  const TextEmbeddings t = texts();
  const FrozenModelConfig config{.dim = 8, .context_layers = 0};
  const FrozenModel model(config, t, graph_of(kTraining), torch::kCPU);
  const FrozenModel other = with_weights_of(model, config, t, graph_of({{4, 0, 0}}));
  EXPECT_TRUE(torch::equal(model.entities({}, false), other.entities({}, false)));
  for (const NamedTensor& p : model.parameters()) EXPECT_NE(p.name.substr(0, 7), "context") << p.name;
}

TEST_F(FrozenModelTest, SendsGradientsToEveryParameter) {
  const FrozenModel model(kSmall, texts(), graph_of(kTraining), torch::kCPU);
  const torch::Tensor entities = model.entities({}, true);
  const torch::Tensor relation_of = torch::tensor({0, 3, 1, 2, 0}, torch::kInt64);
  const torch::Tensor scores = model.queries(entities, model.relations(true), relation_of).mm(entities.t());
  (model.scale() * scores * torch::randn({5, 5})).sum().backward();
  for (const NamedTensor& p : model.parameters()) {
    ASSERT_TRUE(p.tensor.grad().defined()) << p.name;
    EXPECT_GT(p.tensor.grad().abs().max().item<float>(), 0) << p.name;
  }
}

TEST_F(FrozenModelTest, HidesValuesOnlyWhileTraining) {
  const FrozenModel model(kSmall, texts(), graph_of(kTraining), torch::kCPU);
  EXPECT_TRUE(torch::equal(model.entities({}, false), model.entities({}, false)));
  EXPECT_FALSE(torch::allclose(model.entities({}, true), model.entities({}, true)));
  EXPECT_FALSE(torch::allclose(model.relations(true), model.relations(true)));
}

TEST_F(FrozenModelTest, ScoresThroughItsScorerAsItDoesItself) {
  const FrozenModel model(kSmall, texts(), graph_of(kTraining), torch::kCPU);
  const auto scorer = model.scorer();
  const torch::NoGradGuard no_gradients;  // with them, products are summed in another order
  const torch::Tensor entities = model.entities({}, false);
  EXPECT_TRUE(torch::equal(scorer->entities(), entities));
  const torch::Tensor heads = torch::tensor({4, 0}, torch::kInt64), relations = torch::tensor({3, 1}, torch::kInt64);
  const torch::Tensor expected = model.queries(entities.index_select(0, heads), model.relations(false), relations);
  EXPECT_TRUE(torch::allclose(scorer->query_vectors(testing::queries_of(heads, relations)), expected, 1e-5, 1e-6));
  EXPECT_FALSE(scorer->entities().requires_grad());
  EXPECT_FALSE(scorer->query_vectors(testing::queries_of(heads, relations)).requires_grad());
}

TEST_F(FrozenModelTest, DrawsTheSameWeightsFromTheSameSeed) {
  const TextEmbeddings t = texts();
  const Graph g = graph_of(kTraining);
  torch::manual_seed(9);
  const FrozenModel one(kSmall, t, g, torch::kCPU);
  torch::manual_seed(9);
  const FrozenModel other(kSmall, t, g, torch::kCPU);
  EXPECT_TRUE(torch::equal(one.entities({}, false), other.entities({}, false)));
}

TEST_F(FrozenModelTest, RefusesTextsOfAnotherGraph) {
  TextEmbeddings t = texts();
  t.entities = t.entities.slice(0, 0, 3);
  EXPECT_ERROR(FrozenModel(kSmall, t, graph_of(kTraining), torch::kCPU),
               "text embeddings of 3 entities and 4 relations do not fit a graph of 5 and 4");
}

}  // namespace
}  // namespace hasa
