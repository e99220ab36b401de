#include "hasa/families/cross/triple_learner.h"

#include <cmath>

#include "hasa/base/testing.h"
#include "hasa/families/cross/pooled_head.h"
#include "hasa/families/cross/triple_examples.h"
#include "hasa/families/cross/triples_for_tests.h"

namespace hasa {
namespace {

/// The same number for every triple.
class OneNumber : public TripleHead {
 public:
  explicit OneNumber(float value) : value_(torch::full({}, value).requires_grad_()) {}
  torch::Tensor logits(const Encoder&, const torch::Tensor&, const PackedTokens& triples, bool) const override {
    return value_.expand({triples.texts()}) * 1;
  }
  NamedTensors parameters() const override { return {{"value", value_}}; }
  double gradient() const { return value_.grad().item<double>(); }

 private:
  torch::Tensor value_;
};

class TripleLearnerTest : public ::testing::Test, protected testing::TempDir, protected testing::TriplesOfWords {
 protected:
  TripleLearnerTest() : TriplesOfWords(path()) {}

  TripleLearner learner(const TripleModel& model, std::int64_t chunk_tokens = 0) const {
    TripleLearner::Options options;
    options.negatives.entities = 3;
    options.train.batch = 2;
    options.train.chunk_tokens = chunk_tokens;
    options.optimiser.lr = options.optimiser.language_model_lr = 3e-3;
    return {options, model, inputs(), {.graph = graph_, .graph_folder = dir_ / "graph"}};
  }
};

TEST_F(TripleLearnerTest, TakesTheMeanCrossEntropyOverTrueAndFalseTriples) {
  const auto head = std::make_shared<OneNumber>(0.5F);
  TripleLearner learner = this->learner({encoder(), head});
  const StepReport report = learner.backward(0);
  // Two true triples and six false ones: softplus(-1/2) = 0.474076984, softplus(1/2) = 0.974076984.
  EXPECT_NEAR(report.loss.item<double>(), (2 * 0.474076984 + 6 * 0.974076984) / 8, 1e-6);
  // sigmoid(1/2) = 0.622459331 for each, less 1 for the true ones.
  EXPECT_NEAR(head->gradient(), 0.622459331 - 2.0 / 8, 1e-6);
  EXPECT_NEAR(report.metrics[0].item<double>(), 2.0 / 8, 1e-6);
}

TEST_F(TripleLearnerTest, MicroBatchesAddUpToTheSameGradient) {
  const auto gradients = [&](std::int64_t chunk_tokens) {
    at::manual_seed(9);
    const TripleModel model(encoder(), std::make_shared<PooledHead>(16, Pooling::cls, 0));
    TripleLearner learner = this->learner(model, chunk_tokens);
    learner.backward(0);
    std::vector<torch::Tensor> all;
    for (const Parameter& each : learner.parameters()) {
      if (each.tensor.grad().defined()) all.push_back(each.tensor.grad().flatten());
    }
    return torch::cat(all);
  };
  const torch::Tensor whole = gradients(0);
  EXPECT_GT(whole.abs().max().item<double>(), 1e-3);
  EXPECT_TRUE(torch::allclose(gradients(40), whole, 1e-3, 1e-6));
}

TEST_F(TripleLearnerTest, LearnsToTellTrueFromFalse) {
  at::manual_seed(9);
  const TripleModel model(encoder(), std::make_shared<PooledHead>(16, Pooling::cls, 0));
  TripleLearner learner = this->learner(model);
  const auto mean_loss = [&](std::int64_t first) {
    double sum = 0;
    for (std::int64_t step = first; step < first + 20; ++step)
      sum += learner.step(step, /*factor=*/1).loss.item<double>();
    return sum / 20;
  };
  const double at_first = mean_loss(0);
  for (std::int64_t first = 20; first < 100; first += 20) mean_loss(first);
  EXPECT_LT(mean_loss(100), 0.8 * at_first);
}

TEST_F(TripleLearnerTest, MakesTheRequestedNumberOfCorruptedTriplesAndNoneThatIsKnown) {
  const KnownAnswers known = KnownAnswers::of_training(graph_);
  const Corruption corruption(known, graph_.entities(), graph_.relations());
  CorruptionConfig config;
  config.entities = 4;
  config.relations = 1;
  Rng rng(3);
  const TripleExamples examples = triple_examples(graph_.triples(Split::train), corruption, config, rng);
  ASSERT_EQ(examples.texts.size(), 6U * 6);
  for (std::size_t i = 0; i < examples.texts.size(); ++i) {
    const TextRequest& text = examples.texts[i];
    EXPECT_EQ(examples.truth[i], i % 6 == 0 ? 1 : 0);
    EXPECT_EQ(known.contains(text.entity, text.relation, text.tail), i % 6 == 0);
    const Triple& from = graph_.triples(Split::train)[i / 6];
    EXPECT_EQ(text.relation == from.relation, i % 6 < 5);
  }
}

TEST_F(TripleLearnerTest, APooledHeadIsALayerOnTheFirstToken) {
  const PooledHead head(2, Pooling::cls, 0.5);
  const torch::NoGradGuard no_gradients;
  head.parameters()[0].tensor.copy_(torch::tensor({{2.F, -1.F}}));
  head.parameters()[1].tensor.copy_(torch::tensor({0.5F}));
  // Two texts of two and three tokens; first tokens (1, 3) and (-2, 4).
  const torch::Tensor hidden = torch::tensor({{1.F, 3.F}, {9.F, 9.F}, {-2.F, 4.F}, {9.F, 9.F}, {9.F, 9.F}});
  const torch::Tensor logits =
      head.logits(encoder().working(), hidden, pack_texts({{1, 2}, {3, 4, 5}}), /*training=*/false);
  EXPECT_TRUE(logits.equal(torch::tensor({2.F - 3 + 0.5F, -4.F - 4 + 0.5F})));
}

}  // namespace
}  // namespace hasa
