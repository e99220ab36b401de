#include "hasa/families/simkgc/simkgc_learner.h"

#include <ATen/Context.h>

#include "hasa/base/testing.h"
#include "hasa/families/runs_for_tests.h"
#include "hasa/families/text/tiny_bert_for_tests.h"
#include "hasa/model/queries_for_tests.h"

namespace hasa {
namespace {

Graph graph_of_sentences() {
  SyntheticOptions options;
  options.entities = 40;
  options.relations = 2;
  options.triples = 150;
  options.groups = 4;
  options.noise = 0;
  options.texts = true;
  return synthetic_graph(options);
}

class SimkgcLearnerTest : public ::testing::Test {
 protected:
  SimkgcLearnerTest() {
    testing::write_tiny_bert(dir_ / "bert");
    graph_.save(dir_ / "graph");
    config_.language_model.path = (dir_ / "bert").string();
    config_.model.dropout = 0;
    config_.text.max_tokens = 48;
    config_.text.neighbours = 5;
    config_.train.batch = 32;
  }
  std::unique_ptr<GradientLearner> learner() const {
    auto made = make_learner(config_, {.graph = graph_, .graph_folder = dir_ / "graph"});
    return std::unique_ptr<GradientLearner>(&dynamic_cast<GradientLearner&>(*made.release()));
  }

  testing::OneQuietThread quiet_;
  testing::TempDir dir_;
  Graph graph_ = graph_of_sentences();
  SimkgcFamily config_;
};

TEST(EarlierTails, LieInTurnAndAreThoseOfTheStepsBefore) {
  EarlierTails earlier(/*slots=*/3, /*batch=*/2, /*dim=*/1, torch::kCPU);
  for (std::int64_t step = 0; step < 5; ++step) {
    for (std::int64_t slot = 0; slot < 3; ++slot)
      EXPECT_EQ(earlier.steps[slot].item<std::int64_t>(), earlier.step_in(slot, step)) << slot << " " << step;
    earlier.keep(torch::full({2, 1}, static_cast<float>(step)), step);
  }
  EXPECT_TRUE(torch::equal(earlier.steps, torch::tensor({3, 4, 2}, torch::kInt64)));
  EXPECT_TRUE(torch::equal(earlier.vectors.squeeze(1), torch::tensor({3.F, 3.F, 4.F, 4.F, 2.F, 2.F})));
}

TEST_F(SimkgcLearnerTest, StartsBothLanguageModelsFromTheSameWeightsAndTrainsThemApart) {
  const auto trained = learner();
  const auto weights = [&] {
    std::pair<torch::Tensor, torch::Tensor> pair;
    for (const Parameter& p : trained->parameters()) {
      if (p.name == "language_model.encoder.layer.0.output.dense.weight") pair.first = p.tensor;
      if (p.name == "queries.encoder.layer.0.output.dense.weight") pair.second = p.tensor;
    }
    return pair;
  };
  EXPECT_TRUE(torch::equal(weights().first, weights().second));
  trained->step(0, /*factor=*/1);
  EXPECT_FALSE(torch::equal(weights().first, weights().second));
}

TEST_F(SimkgcLearnerTest, GivesTheSameGradientInMicroBatches) {
  config_.negatives.pre_batches = 2;
  config_.train.chunk_tokens = 0;
  const auto whole = learner();
  config_.train.chunk_tokens = 400;
  const auto parts = learner();
  for (const std::int64_t step : {0, 1}) {
    const StepReport one = whole->backward(step), many = parts->backward(step);
    EXPECT_GT(one.tokens, 800);
    EXPECT_NEAR(one.loss.item<double>(), many.loss.item<double>(), 1e-5);
  }
  const Parameters a = whole->parameters(), b = parts->parameters();
  for (std::size_t i = 0; i < a.size(); ++i) {
    const torch::Tensor x = a[i].tensor.grad(), y = b[i].tensor.grad();
    ASSERT_EQ(x.defined(), y.defined()) << a[i].name;
    if (!x.defined()) continue;
    EXPECT_LT((x - y).norm().item<double>(), 1e-4 * x.norm().item<double>() + 1e-5) << a[i].name;
  }
}

TEST_F(SimkgcLearnerTest, TellsAnswersFromTailsOfEarlierStepsOnceThereAreSome) {
  config_.loss.pre_batch_weight = 1;
  const auto loss_of_second_step = [&](std::int64_t pre_batches, bool with_first) {
    config_.negatives.pre_batches = pre_batches;
    const auto trained = learner();
    if (with_first) trained->backward(0);
    return trained->backward(1).loss.item<double>();
  };
  const double alone = loss_of_second_step(0, true);
  EXPECT_GT(loss_of_second_step(1, true), alone + 0.1);
  EXPECT_NEAR(loss_of_second_step(1, false), alone, 1e-6);  // nothing was kept, so nothing counts
}

TEST_F(SimkgcLearnerTest, ReadsFewerTextsWhereAStepAsksItsTriplesFromBothEnds) {
  const auto tokens_of_some_steps = [&](bool both_ends) {
    config_.train.both_ends = both_ends;
    const auto trained = learner();
    std::int64_t tokens = 0;
    for (const std::int64_t step : {0, 1, 2}) tokens += trained->step(step, /*factor=*/0).tokens;
    return static_cast<double>(tokens);
  };
  EXPECT_LT(tokens_of_some_steps(true), 0.9 * tokens_of_some_steps(false));
  config_.train.batch = 31;
  EXPECT_ERROR(check(config_, torch::kCPU), "train.batch is 31, but with train.both_ends");
}

TEST_F(SimkgcLearnerTest, ScoresAreCosinesOfTheTwoModels) {
  const auto trained = learner();
  const std::unique_ptr<Scorer> scorer = trained->scorer();
  const std::vector<Query> queries = {{3, 0}, {5, 2}};
  const torch::Tensor scores = scorer->scores(queries);
  const auto& vectors = testing::vectors_of(*scorer);
  EXPECT_TRUE(torch::allclose(vectors.entities().norm(2, 1), torch::ones({graph_.entities()})));
  EXPECT_TRUE(torch::allclose(scores, torch::mm(vectors.query_vectors(queries), vectors.entities().t()), 1e-5, 1e-5));
  const torch::Tensor candidates = torch::tensor({7, 1, 0, 9}, torch::kInt64).view({2, 2});
  EXPECT_TRUE(torch::allclose(scorer->scores_of(queries, candidates), scores.gather(1, candidates), 1e-5, 1e-6));
}

TEST_F(SimkgcLearnerTest, RefusesWhatWouldTrainNothing) {
  config_.model.tuned_layers = 0;
  EXPECT_ERROR(check(config_, torch::kCPU), "model.tuned_layers is 0");
  config_.model.tuned_layers = -1;
  config_.train.batch = 1;
  config_.negatives.self = false;
  EXPECT_ERROR(check(config_, torch::kCPU), "a step of one triple without other candidates");
}

}  // namespace
}  // namespace hasa
