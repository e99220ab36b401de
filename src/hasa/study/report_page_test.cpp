#include "hasa/study/report_page.h"

#include <nlohmann/json.hpp>
#include <regex>

#include "hasa/base/file.h"
#include "hasa/base/testing.h"
#include "hasa/study/run_study.h"

namespace hasa {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

StudyResult small_result(const std::string& title, int claim, Agreement agreement) {
  const PageTable numbers{"numbers of " + title, {{"x"}}, {{{{"1"}}}}};
  StudyResult result{.title = title, .summary = "Two runs of 5 s.", .verdicts = {}, .figures = {}, .tables = {},
                     .files = {}};
  result.size = "quick";
  result.graphs = {"animal"};
  result.verdicts = {{claim, agreement, "It came out so."}};
  result.figures = {{BarChart{{"figure", "MRR by loss", "bars"}, {{"Simple", 0.5}}, {}}, "over three seeds", numbers}};
  result.tables = {numbers};
  result.files = {{"losses.csv", ""}};
  return result;
}

void write_result(const std::filesystem::path& folder, const StudyResult& result) {
  std::filesystem::create_directories(folder);
  write_file(folder / kStudyResultFile, to_json(result).dump());
}

TEST(ReportPage, ReadsOneStudyOrAllOfAFolder) {
  const testing::TempDir dir;
  write_result(dir / "losses", small_result("Losses", 3, Agreement::agrees));
  write_result(dir / "false-negatives", small_result("False negatives", 1, Agreement::agrees));
  std::filesystem::create_directories(dir / "runs");
  EXPECT_EQ(read_studies(dir / "losses").size(), 1U);
  const auto both = read_studies(dir.path());
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[0].name, "false-negatives") << "in the order of the list of studies";
  EXPECT_EQ(both[1].result.title, "Losses");
  EXPECT_EQ(both[1].result.graphs, std::vector<std::string>{"animal"});
  EXPECT_TRUE(read_studies(dir / "runs").empty());
}

TEST(ReportPage, RefusesADamagedStudyByItsName) {
  const testing::TempDir dir;
  write_result(dir / "losses", small_result("Losses", 3, Agreement::agrees));
  write_file(dir / "losses" / kStudyResultFile, "{\"title\": ");
  EXPECT_ERROR(read_studies(dir.path()), "result.json is damaged");
}

TEST(ReportPage, MarksTheClaimsFromTheStudies) {
  const BoundReport agrees{{}, {{"losses", small_result("Losses", 3, Agreement::agrees)}}};
  const BoundReport disagrees{{}, {{"losses", small_result("Losses", 3, Agreement::disagrees)}}};
  EXPECT_THAT(to_html(agrees), HasSubstr("1 confirmed, 20 not yet run"));
  EXPECT_THAT(to_html(disagrees), HasSubstr("1 not confirmed, 20 not yet run"));
  EXPECT_THAT(to_html(agrees), HasSubstr("come from other graphs than the paper"));
}

TEST(ReportPage, NeedsNothingFromAnywhereAndHasEachIdOnce) {
  const BoundReport report{{},
                           {{"losses", small_result("Losses", 3, Agreement::agrees)},
                            {"tau", small_result("<script>alert(1)</script>", 12, Agreement::mixed)}}};
  const std::string page = to_html(report);
  EXPECT_FALSE(std::regex_search(page, std::regex("https?://|src=|@import|url\\(|<link|fetch\\(")));
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, HasSubstr("<figure id=\"figure\">"));
  EXPECT_THAT(page, HasSubstr("<figure id=\"figure-2\">"));
  EXPECT_THAT(page, HasSubstr("The quick form on animal. Two runs of 5 s."));
}

}  // namespace
}  // namespace hasa
