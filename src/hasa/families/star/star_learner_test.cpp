#include "hasa/families/star/star_learner.h"

#include <ATen/Context.h>

#include "hasa/base/testing.h"
#include "hasa/families/runs_for_tests.h"
#include "hasa/families/text/tiny_bert_for_tests.h"
#include "hasa/model/language_model.h"
#include "hasa/model/queries_for_tests.h"
#include "hasa/model/read_texts.h"

namespace hasa {
namespace {

Graph graph_of_words() {
  SyntheticOptions options;
  options.entities = 40;
  options.relations = 2;
  options.triples = 150;
  options.groups = 4;
  options.noise = 0;
  options.texts = true;
  return synthetic_graph(options);
}

class StarLearnerTest : public ::testing::Test {
 protected:
  StarLearnerTest() {
    testing::write_tiny_bert(dir_ / "bert");
    graph_.save(dir_ / "graph");
    config_.language_model.path = (dir_ / "bert").string();
    config_.language_model.pool = Pooling::pooler;
    config_.text.max_tokens = 48;
    config_.train.batch = 32;
  }
  TrainContext context() const { return {.graph = graph_, .graph_folder = dir_ / "graph"}; }
  std::unique_ptr<StarLearner> learner() const {
    auto made = make_learner(config_, context());
    return std::unique_ptr<StarLearner>(&dynamic_cast<StarLearner&>(*made.release()));
  }

  testing::OneQuietThread quiet_;
  testing::TempDir dir_;
  Graph graph_ = graph_of_words();
  StarFamily config_;
};

TEST_F(StarLearnerTest, GivesTheSameGradientInMicroBatches) {
  config_.model.dropout = 0;
  config_.train.chunk_tokens = 0;
  const auto whole = learner();
  config_.train.chunk_tokens = 400;
  const auto parts = learner();
  const StepReport one = whole->backward(0), many = parts->backward(0);
  EXPECT_GT(one.tokens, 800);
  EXPECT_NEAR(one.loss.item<double>(), many.loss.item<double>(), 1e-5);
  const Parameters a = whole->parameters(), b = parts->parameters();
  for (std::size_t i = 0; i < a.size(); ++i) {
    const torch::Tensor x = a[i].tensor.grad(), y = b[i].tensor.grad();
    ASSERT_EQ(x.defined(), y.defined()) << a[i].name;
    if (!x.defined()) continue;
    EXPECT_LT((x - y).norm().item<double>(), 1e-4 * x.norm().item<double>() + 1e-5) << a[i].name;
  }
}

TEST_F(StarLearnerTest, ScoresEveryEntityAsTheClassifierJudgesThePair) {
  const auto trained = learner();
  for (const std::int64_t step : {0, 1}) trained->step(step, /*factor=*/10);
  const std::unique_ptr<Scorer> scorer = trained->scorer();
  const std::vector<Query> queries = {{3, 0}, {5, 2}, {39, 3}};
  // The pairs one by one through the classifier, from vectors read anew.
  const LanguageModel language_model = LanguageModel::open(config_.language_model.path);
  const TextInputs inputs = text_inputs(graph_, dir_ / "graph", config_.text, language_model);
  StarModel model(config_.model,
                  open_tuned_encoder(config_.model, config_.language_model, language_model.folder, torch::kCPU));
  const torch::NoGradGuard no_grad;
  const Parameters from = trained->parameters(), to = model.parameters();
  for (std::size_t i = 0; i < from.size(); ++i) to[i].tensor.copy_(from[i].tensor);
  const FrozenEncoder encoder(model.encoder().working());
  std::vector<TextRequest> requests;
  for (const Query& query : queries) requests.push_back(TextRequest::of_query(query.given, query.relation));
  const torch::Tensor u = read_texts(encoder, Pooling::pooler, inputs.for_evaluation(requests), nullptr);
  const torch::Tensor v = read_texts(encoder, Pooling::pooler, inputs.all_entities(), nullptr);
  const torch::Tensor expected = model.logits(u.unsqueeze(1), v.unsqueeze(0), /*training=*/false);
  EXPECT_TRUE(torch::allclose(scorer->scores(queries), expected, 1e-4, 1e-4));
  EXPECT_GT(expected.std().item<double>(), 1e-3);
  const torch::Tensor candidates = torch::tensor({7, 1, 0, 9, 3, 3}, torch::kInt64).view({3, 2});
  EXPECT_TRUE(torch::allclose(scorer->scores_of(queries, candidates), expected.gather(1, candidates), 1e-4, 1e-4));
}

TEST(StarModel, JudgesByTheFourPartsOfThePublishedClassifier) {
  testing::TempDir dir;
  testing::write_tiny_bert(dir / "bert");
  const StarModel model({.dropout = 0}, open_tuned_encoder({}, {}, dir / "bert", torch::kCPU));
  const torch::NoGradGuard no_grad;
  torch::Tensor weight, bias;
  for (const Parameter& p : model.parameters()) {
    if (p.name == "classifier.weight") weight = p.tensor;
    if (p.name == "classifier.bias") bias = p.tensor;
  }
  weight.zero_();
  bias.fill_(0.5);
  for (const std::int64_t part : {0, 1, 2, 3}) weight[0][16 * part].fill_(static_cast<double>(part + 1));
  torch::Tensor u = torch::zeros({1, 16}), v = torch::zeros({1, 16});
  u[0][0] = 2;
  v[0][0] = 3;
  // 1 * 2 + 2 * (2 * 3) + 3 * (2 - 3) + 4 * 3 + .5
  EXPECT_NEAR(model.logits(u, v, false).item<double>(), 23.5, 1e-5);
  EXPECT_NEAR((model.query_vectors(u) * StarModel::entity_vectors(v)).sum().item<double>(), 23.5, 1e-5);
  EXPECT_NEAR(StarModel::distances(u, v).item<double>(), 1, 1e-6);
}

}  // namespace
}  // namespace hasa
