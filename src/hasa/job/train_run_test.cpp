#include "hasa/job/train_run.h"

#include <algorithm>

#include "hasa/base/file.h"
#include "hasa/base/testing.h"
#include "hasa/eval/ranking.h"
#include "hasa/families/runs_for_tests.h"
#include "hasa/job/trained_run.h"

namespace hasa {
namespace {

namespace fs = std::filesystem;
using testing::made_up_texts;
using testing::small_graph;
using testing::TempDir;

/// A run that was stopped before its first step, its texts read: what goes on needs no language model.
class TrainRunTest : public ::testing::Test {
 protected:
  TrainRunTest() {
    graph_.save(root_ / "graph");
    fs::create_directory(root_ / "language-model");
    config_.graph = (root_ / "graph").string();
    frozen().language_model.path = (root_ / "language-model").string();
    const hasa::Run run = Run::create(out_, to_yaml(fields_of(config_)), graph_);
    made_up_texts(graph_).save(run / Run::kTexts);
  }

  FrozenFamily& frozen() { return std::get<FrozenFamily>(config_.family); }

  testing::OneQuietThread quiet_;
  TempDir dir_;
  fs::path root_ = fs::canonical(dir_.path());
  fs::path out_ = root_ / "run";
  Graph graph_ = small_graph();
  RunConfig config_{.device = "cpu", .family = testing::small_frozen()};
};

TEST_F(TrainRunTest, LeavesAModelThatScoresAsItsBestValidationDid) {
  const TrainedOutcome outcome = train_run(config_, out_, /*resume=*/true);
  EXPECT_EQ(outcome.end, TrainEnd::finished);
  EXPECT_EQ(outcome.state.epoch, frozen().train.epochs);
  const TrainedRun trained = open_trained(Run::open(out_));
  const auto ranked =
      rank_split(*trained.scorer, *trained.graph, KnownAnswers::of_all_splits(*trained.graph), Split::valid);
  EXPECT_DOUBLE_EQ(metrics_of(ranked).mrr, outcome.state.best_mrr);
}

TEST_F(TrainRunTest, NamesTheFirstOptionThatDiffersFromTheRunsConfig) {
  frozen().train.epochs = 2;
  EXPECT_ERROR(train_run(config_, out_, true),
               "was started with another config: \"epochs: 3\" there, \"epochs: 2\" now\nuse its config.yaml");
  EXPECT_FALSE(fs::exists(out_ / Run::kLast));
}

TEST_F(TrainRunTest, AFinishedRunIsTrainedForMoreEpochsAndItsConfigSaysSo) {
  EXPECT_EQ(train_run(config_, out_, true).state.epoch, 3);
  apply_assignment(fields_of(config_), "train.epochs=5");
  EXPECT_EQ(train_run(config_, out_, true).state.epoch, 5);
  EXPECT_EQ(schedule_of(config_of(Run::open(out_)))->epochs, 5);
  const std::string log = read_file(out_ / Run::kMetrics);
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 5);
}

TEST_F(TrainRunTest, ReportsEachEpochAndStopsOnRequest) {
  std::vector<std::int64_t> heard;
  const auto stop_after_two = [&](const EpochRecord& record) {
    heard.push_back(record.epoch);
    return record.epoch != 2;
  };
  EXPECT_EQ(train_run(config_, out_, true, stop_after_two).end, TrainEnd::interrupted);
  EXPECT_EQ(train_run(config_, out_, true, stop_after_two).end, TrainEnd::finished);
  EXPECT_THAT(heard, ::testing::ElementsAre(1, 2, 3));
}

TEST_F(TrainRunTest, ChoosesUnsetScheduleOptionsAndKeepsThem) {
  RunConfig config;
  config.graph = config_.graph;
  for (const char* option :
       {"device=cpu", "model.type=complex", "model.dim=16", "tables.negatives=8", "train.batch=128"})
    apply_assignment(fields_of(config), option);
  const fs::path out = root_ / "chosen";
  const TrainedOutcome outcome = train_run(config, out, false);
  // 360 training triples are 720 examples: 6 steps an epoch, and 300 steps at least.
  const auto steps = static_cast<std::int64_t>((2 * graph_.triples(Split::train).size() + 127) / 128);
  EXPECT_EQ(outcome.state.epoch, (300 + steps - 1) / steps);
  const RunConfig stored = config_of(Run::open(out));
  EXPECT_EQ(schedule_of(stored)->epochs, outcome.state.epoch);
  EXPECT_EQ(schedule_of(stored)->batch, 128);
  EXPECT_EQ(train_run(config, out, true).state.epoch, outcome.state.epoch);  // resolved to the same again
}

TEST_F(TrainRunTest, ResumesWithAMovedGraph) {
  fs::rename(root_ / "graph", root_ / "moved");
  config_.graph = (root_ / "moved").string();
  EXPECT_EQ(train_run(config_, out_, true).end, TrainEnd::finished);
  EXPECT_ERROR(open_trained(Run::open(out_)), "give its folder with --graph");
  EXPECT_NO_THROW(open_trained(Run::open(out_), config_.graph));
}

TEST_F(TrainRunTest, SaysSoWhenAFinishedRunHasLostItsModel) {
  train_run(config_, out_, true);
  fs::remove(out_ / Run::kBest);
  EXPECT_ERROR(train_run(config_, out_, true), "has lost its best model");
}

TEST_F(TrainRunTest, RejectsAnExistingRunUnlessResuming) {
  EXPECT_ERROR(train_run(config_, out_, /*resume=*/false), "holds a run already");
}

TEST_F(TrainRunTest, RefusesAFolderInUse) {
  const RunLock lock(out_);
  EXPECT_ERROR(train_run(config_, out_, true), "another process is writing to");
  EXPECT_FALSE(fs::exists(out_ / Run::kLast));
}

TEST_F(TrainRunTest, RefusesAGraphThatHasChanged) {
  small_graph(/*valid_share=*/0.2).save(root_ / "graph");
  EXPECT_ERROR(train_run(config_, out_, true), "the graph has changed since");
}

TEST_F(TrainRunTest, RefusesAConfigWithoutAGraphOrAModelThatIsThere) {
  RunConfig config = config_;
  config.graph = "";
  EXPECT_ERROR(train_run(config, root_ / "new", false), "option graph is not set");
  config = config_;
  config.graph = (root_ / "elsewhere").string();
  EXPECT_ERROR(train_run(config, root_ / "new", false), "elsewhere");
  config = config_;
  std::get<FrozenFamily>(config.family).language_model.path = "no-such-model";
  EXPECT_ERROR(train_run(config, root_ / "new", false), "there is no language model no-such-model");
  EXPECT_FALSE(fs::exists(root_ / "new"));
}

}  // namespace
}  // namespace hasa
