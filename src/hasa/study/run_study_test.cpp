#include "hasa/study/run_study.h"

#include <nlohmann/json.hpp>

#include "hasa/base/file.h"
#include "hasa/base/testing.h"
#include "hasa/kg/synthetic.h"
#include "hasa/study/studies.h"

namespace hasa {
namespace {

struct CountingConfig {
  std::int64_t pieces = 2;

  static CountingConfig of(StudySize size) { return {size == StudySize::tiny ? 1 : 2}; }
  template <class Visitor>
  static void fields(Visitor& field) {
    field("pieces", &CountingConfig::pieces, "of work", Range{1, 10});
  }
};

int computed = 0;

StudyResult run_counting(const CountingConfig& config, StudyContext& context) {
  StudyResult result{.title = "Counting", .summary = "", .verdicts = {}, .figures = {}, .tables = {}, .files = {}};
  double sum = 0;
  for (std::int64_t i = 1; i <= config.pieces; ++i) {
    sum += context.piece("piece-" + std::to_string(i), {{"i", i}, {"share", 0.1}}, [&]() -> nlohmann::ordered_json {
      ++computed;
      return i;
    }).get<double>();
  }
  result.verdicts.push_back({1, Agreement::agrees, "The sum is " + std::to_string(sum)});
  result.files.push_back({"sum.csv", to_csv({"sum"}, {{std::to_string(sum)}})});
  result.figures.push_back({BarChart{.text = {"bars", "Bars", "One."}, .bars = {{"sum", 0.5}}}, "", {}});
  return result;
}

Study counting_study() { return make_study<CountingConfig>("counting", "counts", run_counting); }

TEST(RunStudy, LeavesItsResultFilesAndFigures) {
  const testing::TempDir dir;
  run_study(counting_study(), {.out = dir.path(), .size = StudySize::tiny}, {"pieces=3"});
  EXPECT_EQ(read_file(dir / "counting" / "config.yaml"), "pieces: 3\n");
  EXPECT_THAT(read_file(dir / "counting" / "sum.csv"), ::testing::HasSubstr("6.0"));
  EXPECT_THAT(read_file(dir / "counting" / "bars.svg"), ::testing::HasSubstr("<svg"));
  const auto json = nlohmann::ordered_json::parse(read_file(dir / "counting" / kStudyResultFile));
  EXPECT_EQ(study_result_from_json(json).verdicts[0].claim, 1);
}

TEST(RunStudy, DoesNotComputeAFinishedPieceAgain) {
  const testing::TempDir dir;
  const StudySettings settings{.out = dir.path(), .size = StudySize::quick};
  computed = 0;
  run_study(counting_study(), settings, {});
  EXPECT_EQ(computed, 2);
  run_study(counting_study(), settings, {"pieces=3"});
  EXPECT_EQ(computed, 3);
  // One made from something else is not taken, nor is one that was cut short.
  const auto piece = dir / "counting" / "pieces" / "piece-1.json";
  write_file(piece, R"({"made_from": {"i": 2, "share": 0.1}, "result": 1})");
  write_file(dir / "counting" / "pieces" / "piece-2.json", "{\"made_fr");
  run_study(counting_study(), settings, {});
  EXPECT_EQ(computed, 5);
}

TEST(RunStudy, RefusesAnOptionThatTheStudyDoesNotHave) {
  const testing::TempDir dir;
  EXPECT_ERROR(run_study(counting_study(), {.out = dir.path()}, {"piece=3"}), "unknown option piece");
}

TEST(RunStudy, TellsTheOptionsOfSeveralStudiesApart) {
  const std::vector<std::string> set{"false-negatives.seeds=2", "inspector.depth=5"};
  EXPECT_EQ(assignments_of(set, "inspector"), std::vector<std::string>{"depth=5"});
  EXPECT_ERROR(assignments_of({"seeds=2"}, "inspector"), "names no study");
  EXPECT_ERROR(assignments_of({"inspektor.depth=5"}, "inspector"), "did you mean inspector?");
}

/// Each study in its smallest form, over the language model that is at hand: whole, with figures, and the same when it
/// is asked again without anything being computed.
TEST(RunStudy, RunsEveryStudyInItsSmallestForm) {
  HASA_NEEDS_FOLDER(model, "HASA_MINILM");
  ASSERT_TRUE(std::filesystem::is_directory(model));
  const testing::TempDir dir;
  const StudySettings settings{.out = dir.path(), .size = StudySize::tiny, .graphs = {"synthetic:60:400"}, .device = "cpu"};
  for (const Study& study : studies()) {
    SCOPED_TRACE(study.name);
    const StudyResult result = run_study(study, settings, {});
    // One language model is at hand, and there is nothing to compare it with; the paper counts the degrees of other
    // graphs.
    EXPECT_EQ(result.verdicts.empty(), study.name == "language-models" || study.name == "graphs");
    EXPECT_FALSE(result.figures.empty());
    EXPECT_FALSE(result.files.empty());
    for (const Verdict& verdict : result.verdicts) EXPECT_EQ(paper_claim(verdict.claim).number, verdict.claim);
    const std::string text = read_file(dir / study.name / kStudyResultFile);
    run_study(study, settings, {});
    EXPECT_EQ(read_file(dir / study.name / kStudyResultFile), text);
  }
}

}  // namespace
}  // namespace hasa
