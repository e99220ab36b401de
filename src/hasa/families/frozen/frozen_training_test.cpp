#include "hasa/train/trainer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "hasa/base/file.h"
#include "hasa/base/testing.h"
#include "hasa/families/runs_for_tests.h"
#include "hasa/kg/read/graph_gatherer.h"
#include "hasa/nn/tensor_file.h"

namespace hasa {
namespace {

using testing::InterruptAtStep;
using testing::made_up_texts;
using testing::small_frozen;
using testing::small_graph;
using testing::TempDir;

class TrainerTest : public ::testing::Test {
 protected:
  hasa::Run new_run(const std::string& name) { return Run::create(dir_ / name, "", graph_); }
  TrainEnd train(const hasa::Run& run, const testing::Seeded<FrozenFamily>& config) {
    return testing::FrozenTraining(config, graph_, texts_, run).trainer.train();
  }

  testing::OneQuietThread quiet_;
  TempDir dir_;
  Graph graph_ = small_graph();
  TextEmbeddings texts_ = made_up_texts(graph_);
};

std::vector<nlohmann::json> metrics_of(const hasa::Run& run) {
  std::istringstream in(read_file(run / Run::kMetrics));
  std::vector<nlohmann::json> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

/// Model, optimiser and generator, to the last bit.
void expect_same_checkpoint(const hasa::Run& a, const Run& b, const char* file = Run::kLast) {
  const TensorFile x = load_tensors(a / file), y = load_tensors(b / file);
  ASSERT_EQ(x.tensors.size(), y.tensors.size());
  for (const auto& [name, tensor] : x.tensors) EXPECT_TRUE(torch::equal(tensor, y.at(name))) << name;
}

TEST_F(TrainerTest, LearnsAGraphWhoseRelationsFollowARule) {
  testing::Seeded<FrozenFamily> config = small_frozen();
  config.train.epochs = 12;
  config.model.dropout = 0;
  const TextEmbeddings texts = made_up_texts(graph_, /*hidden=*/64);  // room enough to tell 60 entities apart
  const hasa::Run run = new_run("run");
  testing::FrozenTraining training(config, graph_, texts, run);
  Trainer& trainer = training.trainer;
  EXPECT_EQ(trainer.train(), TrainEnd::finished);
  EXPECT_EQ(trainer.state().epoch, 12);
  const auto lines = metrics_of(run);
  ASSERT_EQ(lines.size(), 12U);
  // To find all 60 entities alike costs log 60; it begins above that, with vectors drawn at random and a scale of 20.
  EXPECT_GT(lines.front().at("loss").get<double>(), std::log(60.0));
  EXPECT_LT(lines.back().at("loss").get<double>(), 0.9 * std::log(60.0));
  // The mean of 1 / rank over ranks 1 to 60 is .078.
  EXPECT_GT(trainer.state().best_mrr, 0.16);
}

TEST_F(TrainerTest, HardAndHasaOverAllEntitiesAreSimpleWhereTheyShouldBe) {
  testing::Seeded<FrozenFamily> config = small_frozen();
  for (const bool plus : {false, true}) {
    config.loss.tail_to_query = plus;
    const auto loss_of = [&](ContrastiveKind kind, double beta, double tau) {
      config.loss.kind = kind;
      config.loss.beta = beta;
      config.loss.tau = tau;
      testing::FrozenTraining training(config, graph_, texts_,
                                       new_run(fmt::format("{}-{}-{}-{}", plus, static_cast<int>(kind), beta, tau)));
      return training.learner.backward(0).loss.item<double>();
    };
    const double simple = loss_of(ContrastiveKind::simple, 0, 0);
    EXPECT_NEAR(loss_of(ContrastiveKind::hard, 0, 0), simple, 1e-5);
    EXPECT_NEAR(loss_of(ContrastiveKind::hasa, 0, 0), simple, 1e-5);
    EXPECT_GT(loss_of(ContrastiveKind::hard, 1, 0), simple + 0.1);
    EXPECT_NE(loss_of(ContrastiveKind::hasa, 1, 0.1), loss_of(ContrastiveKind::hard, 1, 0.1));
  }
}

TEST_F(TrainerTest, TakesAllEntitiesForCandidatesWhereAsManyAreDrawn) {
  testing::Seeded<FrozenFamily> config = small_frozen();
  config.loss.beta = 0.5;
  config.loss.tau = 0.05;
  config.model.dropout = 0;
  for (const ContrastiveKind kind : {ContrastiveKind::simple, ContrastiveKind::hard, ContrastiveKind::hasa}) {
    for (const std::int64_t layers : {0, 1}) {
      config.loss.kind = kind;
      config.loss.tail_to_query = layers == 0;
      config.model.context_layers = layers;
      const auto loss_of = [&](std::int64_t candidates) {
        config.negatives.candidates = candidates;
        testing::FrozenTraining training(config, graph_, texts_,
                                         new_run(fmt::format("{}-{}-{}", static_cast<int>(kind), layers, candidates)));
        return training.learner.backward(0).loss.item<double>();
      };
      const double all = loss_of(0);
      EXPECT_NEAR(loss_of(graph_.entities()), all, 1e-4);
      EXPECT_LT(loss_of(10), all - 0.1) << "an answer is easier to tell from fewer";
    }
  }
}

TEST_F(TrainerTest, LeavesTheTruthsOfAnotherGraphOutOfTheNegatives) {
  graph_.save(dir_ / "whole");
  GraphGatherer gatherer(graph_);
  GraphParts parts = gatherer.take_parts();
  auto& train = parts.triples[static_cast<std::size_t>(Split::train)];
  const std::size_t all = train.size();
  train.resize(all - all / 3);
  const Graph thinned(std::move(parts));
  testing::Seeded<FrozenFamily> config = small_frozen();
  config.model.dropout = 0;
  const auto loss_with = [&](const std::string& name, const std::string& truths, const Graph& graph) {
    config.negatives.truths = truths;
    const hasa::Run run = Run::create(dir_ / name, "", graph);
    return testing::FrozenTraining(config, graph, texts_, run).learner.backward(0).loss.item<double>();
  };
  const double knowing = loss_with("knowing", (dir_ / "whole").string(), thinned);
  EXPECT_LT(knowing, loss_with("unknowing", "", thinned) - 1e-4) << "fewer negatives, and those hard";
  EXPECT_DOUBLE_EQ(loss_with("same", (dir_ / "whole").string(), graph_), loss_with("plain", "", graph_));
  thinned.save(dir_ / "thinned");
  EXPECT_ERROR(loss_with("less", (dir_ / "thinned").string(), graph_), "does not contain all training triples");
  EXPECT_THAT(facts(config).training_graph, ::testing::HasSubstr("an oracle that leaves the triples of thinned out"));
}

TEST_F(TrainerTest, KeepsTheModelOfTheBestValidation) {
  const hasa::Run run = new_run("run");
  testing::FrozenTraining training(small_frozen(), graph_, texts_, run);
  Trainer& trainer = training.trainer;
  trainer.train();
  double best = -1;
  std::int64_t best_epoch = 0;
  for (const auto& line : metrics_of(run)) {
    const double mrr = line.at("valid").at("all").at("mrr");
    if (mrr > best) best_epoch = line.at("epoch");
    best = std::max(best, mrr);
  }
  EXPECT_EQ(trainer.state().best_epoch, best_epoch);
  EXPECT_DOUBLE_EQ(trainer.state().best_mrr, best);
  EXPECT_EQ(load_tensors(run / Run::kBest).metadata_at("epoch"), std::to_string(best_epoch));
}

TEST_F(TrainerTest, EndsInTheSameWeightsForTheSameSeedAndInOthersForAnother) {
  const hasa::Run one = new_run("one"), same = new_run("same"), other = new_run("other");
  testing::Seeded<FrozenFamily> config = small_frozen();
  train(one, config);
  torch::manual_seed(1234);  // whatever happened before in the process does not count
  train(same, config);
  config.seed = 2;
  train(other, config);
  expect_same_checkpoint(one, same);
  expect_same_checkpoint(one, same, Run::kBest);
  const char* weight = "model.projection.weight";
  EXPECT_FALSE(torch::equal(load_tensors(one / Run::kLast).at(weight), load_tensors(other / Run::kLast).at(weight)));
}

TEST_F(TrainerTest, EndsInTheSameWeightsHoweverOftenItIsInterrupted) {
  testing::Seeded<FrozenFamily> config = small_frozen();
  config.train.batch = 128;
  const int steps_per_epoch = (2 * static_cast<int>(graph_.triples(Split::train).size()) + 127) / 128;
  ASSERT_GT(steps_per_epoch, 4);
  const hasa::Run undisturbed = new_run("undisturbed");
  EXPECT_EQ(train(undisturbed, config), TrainEnd::finished);
  // In the first step, in the middle of the second epoch, and in the last step of it.
  const hasa::Run disturbed = new_run("disturbed");
  for (const int steps : {1, steps_per_epoch + 2, steps_per_epoch - 3}) {
    const InterruptAtStep interrupt(steps);
    EXPECT_EQ(train(disturbed, config), TrainEnd::interrupted);
    torch::manual_seed(99);  // a new process would have another generator
  }
  EXPECT_EQ(train(disturbed, config), TrainEnd::finished);
  expect_same_checkpoint(undisturbed, disturbed);
  expect_same_checkpoint(undisturbed, disturbed, Run::kBest);
  const auto expected = metrics_of(undisturbed), lines = metrics_of(disturbed);
  ASSERT_EQ(lines.size(), expected.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i].at("epoch"), expected[i].at("epoch"));
    EXPECT_EQ(lines[i].at("loss"), expected[i].at("loss"));
    EXPECT_EQ(lines[i].at("valid"), expected[i].at("valid"));
  }
}

TEST_F(TrainerTest, KnowsWhereItWasInterrupted) {
  const hasa::Run run = new_run("run");
  const InterruptAtStep interrupt(5);
  testing::FrozenTraining training(small_frozen(), graph_, texts_, run);
  Trainer& trainer = training.trainer;
  EXPECT_EQ(trainer.train(), TrainEnd::interrupted);
  EXPECT_EQ(trainer.state().epoch, 0);
  EXPECT_EQ(trainer.state().step_in_epoch, 5);
}

TEST_F(TrainerTest, DoesNothingMoreWhenItHasFinished) {
  const hasa::Run run = new_run("run");
  train(run, small_frozen());
  const std::string last = read_file(run / Run::kLast), metrics = read_file(run / Run::kMetrics);
  EXPECT_EQ(train(run, small_frozen()), TrainEnd::finished);
  EXPECT_EQ(read_file(run / Run::kLast), last);
  EXPECT_EQ(read_file(run / Run::kMetrics), metrics);
}

TEST_F(TrainerTest, StopsEarlyWhenPatienceIsOver) {
  testing::Seeded<FrozenFamily> config = small_frozen();
  config.train.epochs = 10;
  config.train.patience = 2;
  config.optimiser.lr = 0;  // so that no validation is better than the first
  const hasa::Run run = new_run("run");
  testing::FrozenTraining training(config, graph_, texts_, run);
  Trainer& trainer = training.trainer;
  EXPECT_EQ(trainer.train(), TrainEnd::early);
  EXPECT_EQ(trainer.state().epoch, 3);
  EXPECT_EQ(trainer.state().best_epoch, 1);
  EXPECT_EQ(train(run, config), TrainEnd::early);
  EXPECT_EQ(metrics_of(run).size(), 3U);
}

TEST_F(TrainerTest, ValidatesAsOftenAsAskedAndAfterTheLastEpoch) {
  testing::Seeded<FrozenFamily> config = small_frozen();
  config.train.epochs = 5;
  config.train.validate_every = 2;
  const hasa::Run run = new_run("run");
  train(run, config);
  std::vector<int> validated;
  for (const auto& line : metrics_of(run)) {
    if (line.contains("valid")) validated.push_back(line.at("epoch"));
  }
  EXPECT_THAT(validated, ::testing::ElementsAre(2, 4, 5));
}

TEST_F(TrainerTest, TakesTheNewestModelForTheBestWithoutAValidationSplit) {
  const Graph graph = small_graph(/*valid_share=*/0);
  const hasa::Run run = Run::create(dir_ / "run", "", graph);
  testing::FrozenTraining training(small_frozen(), graph, made_up_texts(graph), run);
  Trainer& trainer = training.trainer;
  trainer.train();
  EXPECT_EQ(load_tensors(run / Run::kBest).metadata_at("epoch"), "3");
  EXPECT_FALSE(metrics_of(run).back().contains("valid"));
}

TEST_F(TrainerTest, StopsWithAdviceWhenTheLossIsNoLongerANumberAndKeepsTheCheckpoint) {
  const hasa::Run run = new_run("run");
  {
    const InterruptAtStep interrupt(4);
    train(run, small_frozen());
  }
  const std::string before = read_file(run / Run::kLast);
  TextEmbeddings broken = texts_;
  broken.entities = torch::full_like(texts_.entities, std::numeric_limits<float>::quiet_NaN());
  EXPECT_ERROR(testing::FrozenTraining(small_frozen(), graph_, broken, run).trainer.train(),
               "the loss is NaN or infinite (epoch 1, step 5)\nwhat was kept so far stays");
  EXPECT_EQ(read_file(run / Run::kLast), before);
}

TEST_F(TrainerTest, ResumesFromThePreviousCheckpointIfTheLastIsDamaged) {
  const hasa::Run undisturbed = new_run("undisturbed"), run = new_run("run");
  train(undisturbed, small_frozen());
  {
    const InterruptAtStep interrupt(30);
    EXPECT_EQ(train(run, small_frozen()), TrainEnd::interrupted);
  }
  ASSERT_TRUE(std::filesystem::exists(run / Run::kPrevious));
  const std::string last = read_file(run / Run::kLast);
  write_file(run / Run::kLast, last.substr(0, last.size() / 2));
  EXPECT_EQ(train(run, small_frozen()), TrainEnd::finished);
  expect_same_checkpoint(undisturbed, run);
}

TEST_F(TrainerTest, SaysSoWhenTheOnlyCheckpointIsDamaged) {
  const hasa::Run run = new_run("run");
  {
    const InterruptAtStep interrupt(2);
    train(run, small_frozen());
  }
  write_file(run / Run::kLast, "no checkpoint");
  EXPECT_ERROR(train(run, small_frozen()), "last.safetensors");
}

TEST_F(TrainerTest, RefusesAGraphWithoutTrainingTriples) {
  GraphParts parts;
  for (const char* id : {"a", "b"}) parts.entities.add(id);
  parts.relations.add("r");
  parts.triples[2] = {{0, 0, 1}};
  const Graph empty(std::move(parts));
  const hasa::Run run = new_run("run");
  testing::FrozenTraining other(small_frozen(), graph_, texts_, run);
  EXPECT_ERROR(Trainer(small_frozen().train, {}, empty, other.learner, run), "has no training triples");
}

}  // namespace
}  // namespace hasa
