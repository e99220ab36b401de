#include "hasa/families/frozen/frozen_reader.h"

#include "hasa/base/testing.h"
#include "hasa/families/text/tiny_bert_for_tests.h"
#include "hasa/kg/graphs_for_tests.h"

namespace hasa {
namespace {

using testing::SmallBenchmark;
using testing::TempDir;

/// An entity of a graph as if it were new: its words, and its training edges.
UnseenEntity told(const Graph& graph, EntityId entity) {
  UnseenEntity unseen{std::string(graph.entity_name(entity)), std::string(graph.entity_description(entity)), {}};
  for (const Triple& t : with_inverses(graph.triples(Split::train), graph.relations())) {
    if (t.head == entity) unseen.facts.push_back({t.relation, t.tail});
  }
  return unseen;
}

class FrozenReaderTest : public ::testing::TestWithParam<std::int64_t> {
 protected:
  FrozenReaderTest() {
    testing::write_tiny_bert(dir_ / "bert");
    graph_.save(dir_ / "graph");
    config_.model.dim = 12;
    config_.model.context_layers = GetParam();
    config_.language_model.path = (dir_ / "bert").string();
    config_.language_model.precision = Precision::fp32;
    texts_ = embed_texts(graph_, dir_ / "graph", config_.text, config_.language_model, torch::kCPU);
    torch::manual_seed(5);
    const FrozenModel model(config_.model, texts_, graph_, torch::kCPU);
    const torch::NoGradGuard no_gradients;
    scorer_.emplace(model);
    reader_.emplace(config_, LanguageModel::open(config_.language_model.path), graph_, *scorer_);
  }

  TempDir dir_;
  Graph graph_ = SmallBenchmark().read();
  FrozenFamily config_;
  TextEmbeddings texts_;
  std::optional<FrozenScorer> scorer_;
  std::optional<FrozenReader> reader_;
};

TEST_P(FrozenReaderTest, GivesAnEntityThatTrainingKnowsTheVectorThatItHas) {
  std::vector<UnseenEntity> entities;
  for (EntityId e = 0; e < graph_.entities(); ++e) entities.push_back(told(graph_, e));
  // With two layers the neighbours of the graph's own heard of it in turn, and so did these.
  const torch::Tensor vectors = reader_->entity_vectors(entities);
  EXPECT_TRUE(torch::allclose(vectors, scorer_->entities(), 1e-4, 1e-5));
  EXPECT_EQ(reader_->reads_facts(), GetParam() > 0);
}

TEST_P(FrozenReaderTest, AsksTheSameOfTheSameEntity) {
  const UnseenEntity dog = told(graph_, 0), other = told(graph_, 2);
  const torch::Tensor vector = reader_->entity_vectors({&other, 1})[0];
  const std::vector<UnseenQuery> asked = {{&dog, 1, {}}, {&other, 3, vector}, {&dog, 2, {}}, {&other, 0, {}}};
  const std::vector<Query> expected = {{0, 1}, {2, 3}, {0, 2}, {2, 0}};
  EXPECT_TRUE(torch::allclose(reader_->query_vectors(asked), scorer_->query_vectors(expected), 1e-4, 1e-5));
}

TEST_P(FrozenReaderTest, HearsOfFactsWhereThereIsContext) {
  UnseenEntity dog = told(graph_, 0);
  const torch::Tensor with = reader_->entity_vectors({&dog, 1});
  dog.facts.clear();
  EXPECT_EQ(torch::allclose(with, reader_->entity_vectors({&dog, 1})), GetParam() == 0);
}

TEST_P(FrozenReaderTest, GivesTheLanguageModelsOwnVectorsAndCountsItsTokens) {
  // The template of the texts is "{name}: {description}".
  const std::vector<std::string> texts = {"Dog: a domestic canine"};
  const EntityId dog = *graph_.find_entity("dog");
  EXPECT_TRUE(torch::allclose(reader_->text_vectors(texts)[0], texts_.entities[dog], 1e-4, 1e-5));
  // Each letter is a token, so are the colon and the special ones.
  EXPECT_EQ(reader_->tokens({"dog", "cat", {}}), 3 + 1 + 3 + 2);
  EXPECT_EQ(reader_->tokens({std::string(100, 'a'), "", {}}), config_.text.max_tokens);
}

INSTANTIATE_TEST_SUITE_P(Layers, FrozenReaderTest, ::testing::Values(0, 1, 2));

TEST(UnseenEntity, HasItsNameBeforeTheColon) {
  EXPECT_EQ(UnseenEntity::of_text("dog: an animal: tame"), (UnseenEntity{"dog", "an animal: tame", {}}));
  EXPECT_EQ(UnseenEntity::of_text("a tame animal"), (UnseenEntity{"a tame animal", "", {}}));
  EXPECT_EQ(UnseenEntity::of_text("ratio 1:2"), (UnseenEntity{"ratio 1:2", "", {}}));
}

}  // namespace
}  // namespace hasa
