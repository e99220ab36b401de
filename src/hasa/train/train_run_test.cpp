#include "hasa/train/train_run.h"

#include "hasa/base/file.h"
#include "hasa/base/testing.h"
#include "hasa/eval/ranking.h"
#include "hasa/train/runs_for_tests.h"

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
    config_.language_model.path = (root_ / "language-model").string();
    const hasa::Run run = Run::create(out_, to_yaml(fields_of(config_)), graph_);
    made_up_texts(graph_).save(run / Run::kTexts);
  }

  testing::OneQuietThread quiet_;
  TempDir dir_;
  fs::path root_ = fs::canonical(dir_.path());
  fs::path out_ = root_ / "run";
  Graph graph_ = small_graph();
  TrainConfig config_ = testing::small_config();
};

TEST_F(TrainRunTest, LeavesAModelThatScoresAsItsBestValidationDid) {
  const TrainedOutcome outcome = train_run(config_, out_, /*resume=*/true);
  EXPECT_EQ(outcome.end, TrainEnd::finished);
  EXPECT_EQ(outcome.state.epoch, config_.train.epochs);
  const TrainedRun trained = open_trained(Run::open(out_));
  const auto ranked =
      rank_split(*trained.scorer, trained.graph, KnownAnswers::of_all_splits(trained.graph), Split::valid);
  EXPECT_DOUBLE_EQ(metrics_of(ranked).mrr, outcome.state.best_mrr);
}

TEST_F(TrainRunTest, NamesTheFirstOptionThatDiffersFromTheRunsConfig) {
  config_.train.epochs = 4;
  EXPECT_ERROR(train_run(config_, out_, true),
               "was started with another config: \"epochs: 3\" there, \"epochs: 4\" now\nuse its config.yaml");
  EXPECT_FALSE(fs::exists(out_ / Run::kLast));
}

TEST_F(TrainRunTest, GoesOnWhereTheGraphHasBeenMoved) {
  fs::rename(root_ / "graph", root_ / "moved");
  config_.graph = (root_ / "moved").string();
  EXPECT_EQ(train_run(config_, out_, true).end, TrainEnd::finished);
  EXPECT_ERROR(open_trained(Run::open(out_)), "name it with --graph");
  EXPECT_NO_THROW(open_trained(Run::open(out_), config_.graph));
}

TEST_F(TrainRunTest, SaysSoWhenAFinishedRunHasLostItsModel) {
  train_run(config_, out_, true);
  fs::remove(out_ / Run::kBest);
  EXPECT_ERROR(train_run(config_, out_, true), "has lost its best model");
}

TEST_F(TrainRunTest, RefusesARunThatIsThereUnlessAskedToResume) {
  EXPECT_ERROR(train_run(config_, out_, /*resume=*/false), "holds a run already");
}

TEST_F(TrainRunTest, RefusesAFolderInUse) {
  const hasa::Run run = Run::open(out_);
  const RunLock lock(run);
  EXPECT_ERROR(train_run(config_, out_, true), "another process is writing to");
  EXPECT_FALSE(fs::exists(out_ / Run::kLast));
}

TEST_F(TrainRunTest, RefusesAGraphThatHasChanged) {
  small_graph(/*valid_share=*/0.2).save(root_ / "graph");
  EXPECT_ERROR(train_run(config_, out_, true), "the graph has changed since");
}

TEST_F(TrainRunTest, RefusesAConfigWithoutAGraphOrAModelThatIsThere) {
  TrainConfig config = config_;
  config.graph = "";
  EXPECT_ERROR(train_run(config, root_ / "new", false), "option graph is not set");
  config = config_;
  config.graph = (root_ / "elsewhere").string();
  EXPECT_ERROR(train_run(config, root_ / "new", false), "elsewhere");
  config = config_;
  config.language_model.path = "no-such-model";
  EXPECT_ERROR(train_run(config, root_ / "new", false), "there is no language model no-such-model");
  EXPECT_FALSE(fs::exists(root_ / "new"));
}

}  // namespace
}  // namespace hasa
