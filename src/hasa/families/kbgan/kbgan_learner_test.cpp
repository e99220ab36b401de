#include "hasa/families/kbgan/kbgan_learner.h"

#include "hasa/base/testing.h"
#include "hasa/families/runs_for_tests.h"
#include "hasa/nn/tensor_file.h"

namespace hasa {
namespace {

using testing::small_graph;

class KbganLearnerTest : public ::testing::Test {
 protected:
  KbganLearnerTest() {
    config_.train.batch = 64;
    model_.dim = 16;
    model_.generator_dim = 16;
    model_.margin = 1;
    model_.pretrain_epochs = 4;
    config_.train.epochs = 12;
    config_.optimiser.lr = 0.02;
    config_.optimiser.weight_decay = 0;
  }
  TrainEnd train(const std::string& name, double* best = nullptr) {
    const hasa::Run run = testing_run(name);
    at::manual_seed(1);
    KbganLearner learner(config_, testing::context_of(graph_));
    Trainer trainer(config_.train, config_.optimiser, graph_, learner, run);
    const TrainEnd end = trainer.train();
    if (best != nullptr) *best = trainer.state().best_mrr;
    return end;
  }
  hasa::Run testing_run(const std::string& name) {
    return Run::is_run(dir_ / name) ? Run::open(dir_ / name) : Run::create(dir_ / name, "", graph_);
  }

  testing::OneQuietThread quiet_;
  testing::TempDir dir_;
  Graph graph_ = small_graph(0.2);
  KbganFamily config_;
  KbganModelConfig& model_ = config_.model;
};

TEST_F(KbganLearnerTest, EveryPairOfPlayersLearnsARule) {
  for (const KbganDiscriminator discriminator : {KbganDiscriminator::transe, KbganDiscriminator::transd}) {
    for (const KbganGenerator generator : {KbganGenerator::distmult, KbganGenerator::complex}) {
      model_.discriminator = discriminator;
      model_.generator = generator;
      double best = 0;
      train(fmt::format("{}{}", static_cast<int>(discriminator), static_cast<int>(generator)), &best);
      EXPECT_GT(best, 0.12) << static_cast<int>(discriminator) << static_cast<int>(generator);  // .078 by chance
    }
  }
}

TEST_F(KbganLearnerTest, FilteredCandidatesAreNoKnownAnswers) {
  const KnownAnswers known = KnownAnswers::of_training(graph_);
  const std::vector<Triple> triples = with_inverses(graph_.triples(Split::train), graph_.relations());
  std::int64_t answers[2] = {};
  for (const bool filtered : {false, true}) {
    model_.filtered = filtered;
    const KbganLearner learner(config_, testing::context_of(graph_));
    const torch::Tensor drawn = learner.candidates(triples, columns_of(triples, torch::kCPU), 0);
    for (std::size_t i = 0; i < triples.size(); ++i) {
      for (std::int64_t j = 0; j < drawn.size(1); ++j) {
        const auto entity = static_cast<EntityId>(drawn[static_cast<std::int64_t>(i)][j].item<std::int64_t>());
        answers[filtered] += known.contains(triples[i].head, triples[i].relation, entity) ? 1 : 0;
      }
    }
  }
  EXPECT_GT(answers[0], 0);
  EXPECT_EQ(answers[1], 0);
}

TEST_F(KbganLearnerTest, TheGeneratorComesToChooseWhatTheDiscriminatorFindsNear) {
  at::manual_seed(1);
  model_.pretrain_epochs = 0;
  KbganLearner learner(config_, testing::context_of(graph_));
  OptimiserConfig rates;
  rates.lr = 0.05;
  rates.weight_decay = 0;
  // The discriminator stands still: its parameters get no steps.
  Parameters generator;
  for (const Parameter& p : learner.parameters()) {
    if (p.name.starts_with("generator")) generator.push_back(p);
  }
  const auto optimiser = make_optimiser(generator, rates);
  const auto reward = [&] { return learner.mean_reward().item<double>(); };
  for (int step = 0; step < 200; ++step) {
    learner.backward(step);
    optimiser->step(1);
  }
  const double before = reward();
  for (int step = 200; step < 1200; ++step) {
    learner.backward(step);
    optimiser->step(1);
  }
  EXPECT_GT(reward(), before + 0.05);
}

TEST_F(KbganLearnerTest, EndsInTheSameWeightsHoweverOftenItIsInterrupted) {
  config_.train.epochs = 3;
  model_.pretrain_epochs = 1;
  train("whole");
  TrainEnd end = TrainEnd::interrupted;
  while (end == TrainEnd::interrupted) {
    const testing::InterruptAtStep interrupt(5);
    end = train("parts");
  }
  const TensorFile x = load_tensors(testing_run("whole") / Run::kLast),
                   y = load_tensors(testing_run("parts") / Run::kLast);
  for (const auto& [name, tensor] : x.tensors) EXPECT_TRUE(torch::equal(tensor, y.at(name))) << name;
}

}  // namespace
}  // namespace hasa
