#include "hasa/job/search.h"

#include <fmt/format.h>

#include <algorithm>

#include "hasa/base/file.h"
#include "hasa/base/testing.h"
#include "hasa/families/runs_for_tests.h"
#include "hasa/run/run.h"

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
    auto& family = config_.family.emplace<ComplExFamily>();
    config_.graph = (dir_ / "graph").string();
    config_.device = "cpu";
    family.tables.negatives = 8;
    family.train.batch = 64;
    family.train.epochs = 4;
  }

  /// A weight decay of 10 at a learning rate of 10 makes every weight 99 times as great in a step.
  SearchSpace overflowing_or_not(const std::string& weight_decays) {
    apply_assignment(fields_of(config_), "optimiser.lr=10");
    return SearchSpace::parse("optimiser: {weight_decay: {choices: [" + weight_decays + "]}}\n", "s");
  }

  testing::OneQuietThread quiet_;
  testing::TempDir dir_;
  SearchSpace space_;
  RunConfig config_;
};

TEST_F(SearchTest, TrainsEveryTrialAndPutsTheBestFirst) {
  const SearchOutcome outcome = search(config_, space_, {.trials = 4}, dir_ / "out");
  EXPECT_FALSE(outcome.stopped);
  ASSERT_EQ(outcome.trials.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_TRUE(Run::is_run(dir_ / "out" / outcome.trials[i].name()));
    if (i > 0) {
      EXPECT_LE(*outcome.trials[i].mrr, *outcome.trials[i - 1].mrr);
    }
  }
  const std::string table = to_table(outcome.trials);
  EXPECT_NE(table.find("optimiser.lr"), std::string::npos);
  EXPECT_NE(table.find(outcome.trials[0].name()), std::string::npos);
  RunConfig best;
  apply_yaml(fields_of(best), read_file(dir_ / "out/best.yaml"), "best.yaml");
  EXPECT_EQ(fmt::format("model.dim={}", std::get<ComplExFamily>(best.family).model.dim),
            outcome.trials[0].assignments[1]);
}

TEST_F(SearchTest, ResumesAnInterruptedSearch) {
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
  EXPECT_ERROR(search(config_, space_, {.trials = 3, .seed = 2}, dir_ / "parts"), "belongs to another search");
}

TEST_F(SearchTest, HalvingTrainsFewerTrialsForLonger) {
  const SearchOutcome outcome = search(config_, space_, {.trials = 4, .halving = 2}, dir_ / "out");
  ASSERT_EQ(outcome.trials.size(), 1U);
  EXPECT_EQ(outcome.trials[0].epochs, 4);
  std::size_t runs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(dir_ / "out")) runs += Run::is_run(entry.path());
  EXPECT_EQ(runs, 4U + 2U + 1U);
}

TEST_F(SearchTest, DrawsNoTrialTwiceAndEndsWhereTheSpaceIsExhausted) {
  apply_assignment(fields_of(config_), "train.epochs=1");
  const SearchSpace small = SearchSpace::parse("model: {dim: {choices: [8, 16]}}\n", "s");
  const std::vector<Trial> trials = search(config_, small, {.trials = 5}, dir_ / "out").trials;
  ASSERT_EQ(trials.size(), 2U);
  EXPECT_NE(trials[0].assignments, trials[1].assignments);
}

TEST_F(SearchTest, ATrialThatFailsIsRankedLastWithItsError) {
  const SearchSpace space = overflowing_or_not("0, 10");
  const SearchOutcome outcome = search(config_, space, {.trials = 2}, dir_ / "out");
  ASSERT_EQ(outcome.trials.size(), 2U);
  EXPECT_TRUE(outcome.trials[0].mrr);
  EXPECT_FALSE(outcome.trials[1].mrr);
  EXPECT_NE(outcome.trials[1].error.find("the loss is NaN or infinite"), std::string::npos);
  const std::string table = to_table(outcome.trials);
  EXPECT_NE(table.find("    failed"), std::string::npos);
  EXPECT_NE(table.find(" failed: the loss is NaN or infinite"), std::string::npos);
  // The journal knows it, too: nothing is trained again.
  const SearchOutcome again = search(config_, space, {.trials = 2}, dir_ / "out");
  EXPECT_EQ(to_table(again.trials), table);
}

TEST_F(SearchTest, WhenEveryTrialFailsItSaysWhy) {
  const SearchSpace space = overflowing_or_not("10");
  EXPECT_ERROR(search(config_, space, {.trials = 3}, dir_ / "out"),
               "every trial failed, trial-001-e4 with: the loss is NaN or infinite");
  EXPECT_FALSE(std::filesystem::exists(dir_ / "out/best.yaml"));
}

TEST_F(SearchTest, RefusesWhatTheOptionsCannotTakeBeforeAnythingIsTrained) {
  const SearchSpace space = SearchSpace::parse("seed: 1\nmodel:\n  dim: {choices: [8, many]}\n", "s.yaml");
  EXPECT_ERROR(search(config_, space, {}, dir_ / "out"), "s.yaml:3: option model.dim is \"many\", expected an integer");
  EXPECT_FALSE(std::filesystem::exists(dir_ / "out"));
}

TEST_F(SearchTest, EpochsCanBeSearchedButNotHalvedThen) {
  const SearchSpace space = SearchSpace::parse("train: {epochs: {choices: [1, 2]}}\n", "s");
  const SearchOutcome outcome = search(config_, space, {.trials = 2}, dir_ / "out");
  ASSERT_EQ(outcome.trials.size(), 2U);
  for (const Trial& trial : outcome.trials) {
    const std::string log = read_file(dir_ / "out" / trial.name() / Run::kMetrics);
    EXPECT_EQ(fmt::format("train.epochs={}", std::count(log.begin(), log.end(), '\n')), trial.assignments[0]);
  }
  EXPECT_ERROR(search(config_, space, {.trials = 2, .halving = 2}, dir_ / "halved"),
               "halving trains for fractions of train.epochs, which is marked to be tuned");
}

TEST_F(SearchTest, RefusesAConfigWithoutMarks) {
  EXPECT_ERROR(search(config_, SearchSpace::parse("seed: 1", "s"), {}, dir_ / "out"), "no option is marked");
}

}  // namespace
}  // namespace hasa
