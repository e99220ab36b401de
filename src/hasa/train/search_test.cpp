#include "hasa/train/search.h"

#include "hasa/base/file.h"
#include "hasa/base/testing.h"
#include "hasa/run/run.h"
#include "hasa/train/runs_for_tests.h"

namespace hasa {
namespace {

TEST(Search, HasRungsThatEndInAllEpochs) {
  EXPECT_EQ(rungs(40, {.trials = 9}), (std::vector<std::int64_t>{40}));
  EXPECT_EQ(rungs(45, {.trials = 9, .halving = 3}), (std::vector<std::int64_t>{5, 15, 45}));
  EXPECT_EQ(rungs(2, {.trials = 9, .halving = 3}), (std::vector<std::int64_t>{2}));
  EXPECT_EQ(rungs(45, {.trials = 9, .halving = 3, .least_epochs = 10}), (std::vector<std::int64_t>{15, 45}));
}

class SearchTest : public ::testing::Test {
 protected:
  SearchTest() {
    testing::small_graph(0.2).save(dir_ / "graph");
    space_ = SearchSpace::parse("optimiser: {lr: {log_range: [1e-5, 1e-1]}}\nmodel: {dim: {choices: [8, 16]}}\n", "s");
    config_.model = ComplExConfig();
    config_.graph = (dir_ / "graph").string();
    config_.device = "cpu";
    config_.tables.negatives = 8;
    config_.train.batch = 64;
    config_.train.epochs = 4;
  }

  testing::OneQuietThread quiet_;
  testing::TempDir dir_;
  SearchSpace space_;
  TrainConfig config_;
};

TEST_F(SearchTest, TrainsEveryTrialAndPutsTheBestFirst) {
  const SearchOutcome outcome = search(config_, space_, {.trials = 4}, dir_ / "out");
  EXPECT_FALSE(outcome.stopped);
  ASSERT_EQ(outcome.trials.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_TRUE(Run::is_run(dir_ / "out" / outcome.trials[i].name()));
    if (i > 0) {
      EXPECT_LE(outcome.trials[i].mrr, outcome.trials[i - 1].mrr);
    }
  }
  const std::string table = to_table(outcome.trials);
  EXPECT_NE(table.find("optimiser.lr"), std::string::npos);
  EXPECT_NE(table.find(outcome.trials[0].name()), std::string::npos);
  TrainConfig best;
  apply_yaml(fields_of(best), read_file(dir_ / "out/best.yaml"), "best.yaml");
  EXPECT_EQ(fmt::format("model.dim={}", std::get<ComplExConfig>(best.model).dim), outcome.trials[0].assignments[1]);
}

TEST_F(SearchTest, GoesOnWhereItWasStopped) {
  std::vector<Trial> whole = search(config_, space_, {.trials = 3}, dir_ / "whole").trials;
  {
    const testing::InterruptAtStep interrupt(12);  // in the second trial
    EXPECT_TRUE(search(config_, space_, {.trials = 3}, dir_ / "parts").stopped);
  }
  const std::vector<Trial> parts = search(config_, space_, {.trials = 3}, dir_ / "parts").trials;
  ASSERT_EQ(parts.size(), whole.size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    EXPECT_EQ(parts[i].name(), whole[i].name());
    EXPECT_EQ(parts[i].mrr, whole[i].mrr);
  }
  EXPECT_ERROR(search(config_, space_, {.trials = 3, .seed = 2}, dir_ / "parts"), "written by another search");
}

TEST_F(SearchTest, HalvingTrainsFewerTrialsForLonger) {
  const SearchOutcome outcome = search(config_, space_, {.trials = 4, .halving = 2}, dir_ / "out");
  ASSERT_EQ(outcome.trials.size(), 1U);
  EXPECT_EQ(outcome.trials[0].epochs, 4);
  std::size_t runs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(dir_ / "out")) runs += Run::is_run(entry.path());
  EXPECT_EQ(runs, 4U + 2U + 1U);
}

TEST_F(SearchTest, RefusesAConfigWithoutMarks) {
  EXPECT_ERROR(search(config_, SearchSpace::parse("seed: 1", "s"), {}, dir_ / "out"), "nothing is marked");
}

}  // namespace
}  // namespace hasa
