#include "hasa/page/svg.h"

#include <cmath>
#include <regex>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const ChartText kText{"c", "title", "words"};

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++found;
  return found;
}

TEST(BarChart, DrawsAValueAsItsShareOfTheWidth) {
  const std::string svg = to_svg(BarChart{kText, {{"half", 0.5, Interval{0.25, 0.75}, "8 queries"}}});
  EXPECT_THAT(svg, HasSubstr("class=\"bar\" x=\"0\" y=\"18\" width=\"180.0\""));
  EXPECT_THAT(svg, HasSubstr("M90.0 23.0H270.0"));
  EXPECT_THAT(svg, HasSubstr("<title>half: .500 (.250 to .750), 8 queries</title>"));
}

TEST(BarChart, ShowsNoIntervalOfWhatIsTooLittleToJudge) {
  const std::string svg =
      to_svg(BarChart{kText, {{.label = "two", .value = 0.75, .interval = Interval{.75, .75}, .faint = true}}});
  EXPECT_THAT(svg, HasSubstr("mark faint"));
  EXPECT_THAT(svg, HasSubstr("two: .750, too few to judge"));
  EXPECT_THAT(svg, Not(HasSubstr("whisker")));
}

TEST(BarChart, NamesLevelsAndOthersOnceInItsLegend) {
  const Bar bar{.label = "x", .value = 0.5, .others = {{"a floor", 0.1}}};
  const std::string svg = to_svg(BarChart{kText, {bar, bar}, {{"chance", 0.25}}});
  EXPECT_EQ(count(svg, ">a floor</text>"), 1U);
  EXPECT_EQ(count(svg, ">chance .250</text>"), 1U);
  EXPECT_THAT(svg, HasSubstr("M90.0 "));  // a quarter of the width
}

TEST(BarChart, CutsALongNameInItsMiddleAndNeverInACharacter) {
  const std::string svg = to_svg(BarChart{kText, {{"/ä/" + std::string(60, 'x') + "/the/ende/ü", 0.5}}});
  EXPECT_THAT(svg, HasSubstr(">/ä/xxxxxxxxxxxxx…xxxxxxxxxx/the/ende/ü</text>"));
}

TEST(BarChart, LeavesTheNoteItsRoomBesideALongName) {
  const std::string name = std::string(20, 'x') + std::string(20, 'y');
  const std::string svg = to_svg(BarChart{kText, {{.label = name, .value = 0.5, .note = "1,067 triples"}}});
  // 52 characters in all: 31 of the name, 4 of the value, 2 spaces, 13 of the note, 2 between.
  EXPECT_THAT(svg, HasSubstr(">xxxxxxxxxxxx…yyyyyyyyyyyyyyyyyy</text>"));
}

TEST(Histogram, HasAColumnForEachBucketAndNoneForNothing) {
  const std::string svg =
      to_svg(Histogram{kText, "queries", {{"1", 3, "rank 1"}, {"2", 0, "ranks 2 to 3"}, {"4", 1, "ranks 4 to 7"}}});
  EXPECT_THAT(svg, HasSubstr("<title>rank 1: 3 queries, 75.0%</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>ranks 4 to 7: 1 queries, 25.0%</title>"));
  EXPECT_THAT(svg, HasSubstr(">75%</text>"));
  EXPECT_EQ(count(to_svg(Histogram{kText, "queries", {}}), "<rect"), 0U);
}

TEST(Histogram, LeavesOutLabelsThatWouldTouch) {
  Histogram chart{kText, "queries", {}};
  for (int k = 0; k < 24; ++k) chart.buckets.push_back({"L" + std::to_string(k), 1, "bucket"});
  const std::string svg = to_svg(chart);
  EXPECT_THAT(svg, HasSubstr(">L0</text>"));
  EXPECT_THAT(svg, Not(HasSubstr(">L1</text>")));  // columns are 15 wide, a label 24
  EXPECT_THAT(svg, HasSubstr(">L2</text>"));
  EXPECT_EQ(count(svg, "class=\"bar\""), 24U);
}

XyChart xy(bool joined) {
  return {.text = kText,
          .x = {"epoch"},
          .y = {.label = "MRR", .low = 0, .high = 1},
          .series = {{"one", {{0, 0, Interval{0, .5}}, {1, NAN}, {2, 1, Interval{.5, 1}}}}, {"two", {{0, 1}, {2, 0}}}},
          .joined = joined};
}

TEST(XyChart, DrawsALineThroughWhatIsFinite) {
  const std::string svg = to_svg(xy(true));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_EQ(count(svg, "<g class=\"mark\">"), 4U);
  EXPECT_EQ(count(svg, "class=\"band\""), 1U);  // only the first has intervals
  // From the lower left corner of the plot to its upper right one, 42 to 350 wide and 200 high.
  EXPECT_TRUE(std::regex_search(svg, std::regex("class=\"line\" d=\"M42\\.0 (\\d+)\\.0L350\\.0 (\\d+)\\.0\""))) << svg;
}

TEST(XyChart, DrawsAScatterWithoutLines) {
  XyChart chart = xy(false);
  for (ChartSeries& series : chart.series) series.name.clear();  // the legend has lines of its own
  const std::string svg = to_svg(chart);
  EXPECT_EQ(count(svg, "class=\"line\""), 0U);
  EXPECT_EQ(count(svg, "class=\"whisker\""), 2U);
}

TEST(XyChart, DrawsNothingOfNothing) {
  EXPECT_EQ(count(to_svg(XyChart{.text = kText, .x = {"x"}, .y = {"y"}, .series = {{"", {}}}}), "class=\"mark\""), 0U);
}

TEST(SvgFile, StandsByItself) {
  const std::string svg = to_svg_file(BarChart{kText, {{"half", 0.5}}});
  EXPECT_THAT(svg, HasSubstr("xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_THAT(svg, HasSubstr("--bar:"));
  EXPECT_THAT(svg, HasSubstr(">title</text>"));
}

TEST(ChartJson, ReadsBackWhatItWrote) {
  const BarChart bars{kText, {{"half", 0.5, Interval{.25, .75}, "8", {{"a floor", .1}}, true}}, {{"chance", .01}}};
  const Histogram histogram{kText, "queries", {{"1", 3, "rank 1"}}};
  XyChart curve = xy(true);
  curve.series[0].points.erase(curve.series[0].points.begin() + 1);
  curve.diagonal = true;
  for (const Chart& chart : {Chart(bars), Chart(histogram), Chart(curve)}) {
    EXPECT_EQ(to_json(chart_from_json(to_json(chart))), to_json(chart));
    EXPECT_EQ(to_svg(chart_from_json(to_json(chart))), to_svg(chart));
  }
}

TEST(ChartJson, SaysWhatIsMissing) {
  try {
    chart_from_json(R"({"kind": "bars", "id": "x", "title": "x"})");
    FAIL() << "was read";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    EXPECT_THAT(error.what(), HasSubstr("description"));
  }
  EXPECT_THROW(chart_from_json(R"({"kind": "pie"})"), Error);
  EXPECT_THROW(chart_from_json("{"), Error);
}

TEST(SvgFile, BreaksALongTitleIntoLines) {
  const std::string svg =
      to_svg_file(BarChart{{"a", "brisk anchor number 1, reverse of leads early anchor to", ""}, {}, {}});
  EXPECT_THAT(svg, ::testing::HasSubstr(">brisk anchor number 1, reverse of leads early</text>"));
  EXPECT_THAT(svg, ::testing::HasSubstr(">anchor to</text>"));
  const std::string short_one = to_svg_file(BarChart{{"a", "MRR by loss", ""}, {}, {}});
  EXPECT_THAT(short_one, ::testing::HasSubstr(">MRR by loss</text>"));
}

}  // namespace
}  // namespace hasa
