#include "hasa/eval/svg_chart.h"

#include "hasa/base/testing.h"

namespace hasa {
namespace {

using ::testing::HasSubstr;

TEST(BarChart, DrawsAValueAsItsShareOfTheWidth) {
  const std::string svg = bar_chart({"c", "title", "words"}, {{"half", 0.5, {0.25, 0.75}, "8"}});
  EXPECT_THAT(svg, HasSubstr("class=\"bar\" x=\"0\" y=\"18\" width=\"180.0\""));
  EXPECT_THAT(svg, HasSubstr("M90.0 23.0H270.0"));
  EXPECT_THAT(svg, HasSubstr("<title>half: .500 (.250 to .750), 8</title>"));
}

TEST(BarChart, CutsALongNameInItsMiddleAndNeverInACharacter) {
  const std::string svg = bar_chart({"c", "t", "d"}, {{"/ä/" + std::string(60, 'x') + "/the/ende/ü", 0.5, {}, ""}});
  EXPECT_THAT(svg, HasSubstr(">/ä/xxxxxxxxxxxxx…xxxxxxxxxx/the/ende/ü</text>"));
}

TEST(RankHistogramChart, HasAColumnForEachBucketAndNoneForNothing) {
  const std::string svg = rank_histogram_chart({"h", "t", "d"}, {3, 0, 1});
  EXPECT_THAT(svg, HasSubstr("<title>ranks 1 to 1: 3 queries</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>ranks 4 to 7: 1 queries</title>"));
  EXPECT_THAT(svg, HasSubstr(">75%</text>"));
  EXPECT_EQ(rank_histogram_chart({"h", "t", "d"}, {}).find("<rect"), std::string::npos);
}

TEST(EscapeHtml, LeavesNoMarkup) { EXPECT_EQ(escape_html("<a href='x'>&\""), "&lt;a href=&#39;x&#39;&gt;&amp;&quot;"); }

}  // namespace
}  // namespace hasa
