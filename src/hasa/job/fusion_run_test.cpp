#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "hasa/base/file.h"
#include "hasa/base/log.h"
#include "hasa/base/progress.h"
#include "hasa/base/testing.h"
#include "hasa/families/runs_for_tests.h"
#include "hasa/job/evaluation.h"
#include "hasa/job/train_run.h"
#include "hasa/job/trained_run.h"
#include "hasa/kg/synthetic.h"

namespace hasa {
namespace {

namespace fs = std::filesystem;
using hasa::testing::TempDir;

class FusionRunTest : public ::testing::Test {
 protected:
  FusionRunTest() {
    set_log_level(LogLevel::warning);
    set_progress_enabled(false);
    SyntheticOptions options;
    options.entities = 80;
    options.relations = 3;
    options.triples = 700;
    options.groups = 8;
    options.texts = false;
    options.split.valid = options.split.test = 0.1;
    synthetic_graph(options).save(dir / "graph");
    write_file(dir / "paths.yaml", "graph: elsewhere\nmodel: {type: rules, frequency: no, constants: 0}\n");
    write_file(dir / "constants.yaml", "graph: elsewhere\nmodel: {type: rules, paths: no, edges: no}\n");
  }

  RunConfig config(const std::vector<std::string>& parts) const {
    RunConfig config;
    config.graph = dir / "graph";
    config.device = "cpu";
    config.family.emplace<FusionFamily>().model.parts = parts;
    return config;
  }
  RunConfig of_configs() const { return config({dir / "paths.yaml", dir / "constants.yaml"}); }

  TempDir dir;
};

TEST_F(FusionRunTest, TrainsItsPartsBelowItAndOpensLikeAnyRun) {
  const TrainedOutcome outcome = train_run(of_configs(), dir / "run", /*resume=*/false);
  EXPECT_TRUE(hasa::Run::open(dir / "run" / "parts" / "paths").has_model());
  const EvaluatedRun run = open_for_evaluation(dir / "run", "", "cpu", 0);
  const KnownAnswers known = KnownAnswers::of_all_splits(*run.graph);
  const double fused = metrics_of(rank_split(*run.scorer, *run.graph, known, Split::test)).mrr;
  for (const char* part : {"paths", "constants"}) {
    const TrainedRun alone = open_trained(hasa::Run::open(dir / "run" / "parts" / part));
    EXPECT_GT(fused, metrics_of(rank_split(*alone.scorer, *run.graph, known, Split::test)).mrr) << part;
  }
  const auto line = nlohmann::json::parse(read_file(dir / "run" / "metrics.jsonl"));
  EXPECT_EQ(line.at("valid").at("all").at("mrr").get<double>(), outcome.state.best_mrr);
}

TEST_F(FusionRunTest, NamesItsPartsAndTheirHashesInTheCertificate) {
  train_run(of_configs(), dir / "run", /*resume=*/false);
  const auto weights = open_for_evaluation(dir / "run", "", "cpu", 0).facts.weights;
  ASSERT_EQ(weights.size(), 3);
  EXPECT_EQ(weights[1].first, "of its part paths");
  EXPECT_THAT(weights[1].second, ::testing::StartsWith("sha256:"));
}

TEST_F(FusionRunTest, OfRunsThatExistIsTheSameAsOfTheirConfigs) {
  const double from_configs = train_run(of_configs(), dir / "run", /*resume=*/false).state.best_mrr;
  const RunConfig of_runs = config({dir / "run" / "parts" / "paths", dir / "run" / "parts" / "constants"});
  EXPECT_EQ(train_run(of_runs, dir / "again", /*resume=*/false).state.best_mrr, from_configs);
}

TEST_F(FusionRunTest, ResumesWithExistingParts) {
  train_run(of_configs(), dir / "run", /*resume=*/false);
  fs::remove(dir / "run" / hasa::Run::kBest);
  const fs::path part = dir / "run" / "parts" / "paths" / hasa::Run::kBest;
  const auto written = fs::last_write_time(part);
  EXPECT_GT(train_run(of_configs(), dir / "run", /*resume=*/true).state.best_mrr, 0);
  EXPECT_EQ(fs::last_write_time(part), written);
}

TEST_F(FusionRunTest, WithAPathPartTrainsWholeFromOneCommandHoweverOftenItIsInterrupted) {
  const testing::OneQuietThread quiet;
  write_file(dir / "complex.yaml",
             "graph: elsewhere\nmodel: {type: complex, dim: 8}\noptimiser: {kind: adagrad, lr: 0.3}\n"
             "train: {epochs: 2, batch: 64}\n");
  write_file(dir / "path.yaml",
             "graph: elsewhere\nmodel: {type: path, dim: 8, layers: 2}\npaths: {hide: batch}\n"
             "train: {epochs: 2, batch: 64}\n");
  const RunConfig best = config({dir / "complex.yaml", dir / "paths.yaml", dir / "path.yaml"});
  const TrainedOutcome whole = train_run(best, dir / "whole", /*resume=*/false);
  EXPECT_EQ(whole.end, TrainEnd::finished);
  bool resume = false;
  for (const int step : {3, 9}) {  // of the path part, the only one with this optimiser
    const testing::InterruptAtStep interrupt(step);
    EXPECT_EQ(train_run(best, dir / "run", resume).end, TrainEnd::interrupted);
    EXPECT_FALSE(fs::exists(dir / "run" / hasa::Run::kBest));
    resume = true;
  }
  const TrainedOutcome resumed = train_run(best, dir / "run", resume);
  EXPECT_EQ(resumed.end, TrainEnd::finished);
  EXPECT_EQ(resumed.state.best_mrr, whole.state.best_mrr);
  for (const char* part : {"complex", "path"}) {
    const fs::path model = fs::path("parts") / part / hasa::Run::kBest;
    EXPECT_EQ(read_file(dir / "run" / model), read_file(dir / "whole" / model)) << part;
  }
}

TEST_F(FusionRunTest, RefusesPartsThatHaveChangedSince) {
  train_run(of_configs(), dir / "run", /*resume=*/false);
  fs::copy_file(dir / "run" / "parts" / "constants" / hasa::Run::kBest,
                dir / "run" / "parts" / "paths" / hasa::Run::kBest, fs::copy_options::overwrite_existing);
  EXPECT_ERROR(open_trained(hasa::Run::open(dir / "run")), "was fitted with another model of paths");
  fs::remove_all(dir / "run" / "parts" / "paths");
  EXPECT_ERROR(open_trained(hasa::Run::open(dir / "run")), "is made of paths, which is not at");
}

TEST_F(FusionRunTest, RejectsMissingAndDuplicateParts) {
  EXPECT_ERROR(train_run(config({dir / "nowhere"}), dir / "a", false), "neither a run folder nor a config file");
  EXPECT_ERROR(train_run(config({dir / "paths.yaml", dir / "paths.yaml"}), dir / "b", false), "two are called paths");
  EXPECT_ERROR(train_run(config({}), dir / "c", false), "model.parts is empty");
}

TEST_F(FusionRunTest, ShowsTheContributionOfEachPartInTheBreakdown) {
  train_run(of_configs(), dir / "run", /*resume=*/false);
  const EvaluatedRun run = open_for_evaluation(dir / "run", "", "cpu", 0);
  const auto ranked = rank_split(*run.scorer, *run.graph, KnownAnswers::of_all_splits(*run.graph), Split::test);
  const Report report = report_on(run, ranked, {.name = "run"}, /*breakdowns=*/true);
  EXPECT_THAT(to_table(report), ::testing::HasSubstr("without constants"));
}

}  // namespace
}  // namespace hasa
