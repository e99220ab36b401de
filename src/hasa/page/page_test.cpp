#include "hasa/page/page.h"

#include <regex>

#include "hasa/base/error.h"
#include "hasa/base/testing.h"

namespace hasa {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kMarkup = "<img src=x onerror=alert(1)></script>{{body}}&\"'";

PageTable table(const std::string& name) {
  return {name, {{"name"}, {"MRR", true, "mean of 1 / rank"}}, {{{name, {".500", 0.5}}}, {{name, ""}, true}}};
}

std::string full_page(const std::string& text) {
  const BarChart chart{{"chart", text, text}, {{text, 0.5}}};
  Page page(text, text);
  page.add(
      Section(text).subheading(text).paragraph(text).lead(text).remark(text).cards({{text, text, text}}).entries({{text, text}}));
  page.add(Section::warning(text).table(table(text)).figure(chart, text, table(text)).fold(text, table(text)));
  return page.html();
}

TEST(Page, NeedsNothingFromAnywhere) {
  const std::string page = full_page("words");
  EXPECT_FALSE(std::regex_search(page, std::regex("https?://|src=|@import|url\\(|<link|fetch\\(|XMLHttpRequest")));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, Not(HasSubstr("connect-src")));
  EXPECT_THAT(page, HasSubstr("prefers-color-scheme: dark"));
  EXPECT_THAT(page, HasSubstr("viewport"));
}

TEST(Page, ShowsTextAsTextWhateverItHolds) {
  const std::string page = full_page(kMarkup);
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, HasSubstr("<h1>&lt;img src=x onerror=alert(1)&gt;&lt;/script&gt;{{body}}&amp;&quot;&#39;</h1>"));
  // The page's script and the data of its one chart, and nothing that ends them early.
  const std::regex end("</script>");
  EXPECT_EQ(std::distance(std::sregex_iterator(page.begin(), page.end(), end), std::sregex_iterator()), 2);
}

TEST(Page, MayAskItsServerWhereItHasAScriptOfItsOwn) {
  const std::string page = Page("served").script("go();").html();
  EXPECT_THAT(page, HasSubstr("connect-src 'self'"));
  EXPECT_THAT(page, HasSubstr("<script>go();</script>"));
}

TEST(Section, PutsFiguresThatFollowEachOtherSideBySide) {
  const BarChart chart{{"a", "title", "words"}, {{"half", 0.5}}};
  const std::string html =
      Section("two").figure(chart, "", table("t")).figure(chart, "", table("t")).paragraph("after").html();
  EXPECT_TRUE(std::regex_search(html, std::regex("charts(.|\n)*<figure(.|\n)*<figure(.|\n)*</div>\n<p>after")));
  EXPECT_EQ(html.find("charts"), html.rfind("charts"));
}

TEST(Section, KeepsLineEndsOfEntries) {
  EXPECT_THAT(Section().entries({{"weights", "a\nb\tc\n"}}).html(), HasSubstr("<dd>a\nb&lt;TAB&gt;c\n</dd>"));
}

TEST(PageTable, TellsTheScriptWhatNumbersStandInItsCells) {
  const std::string html = to_html(table("x"));
  EXPECT_THAT(html, HasSubstr("<td class=\"number\" data-value=\"0.5\">.500</td>"));
  EXPECT_THAT(html, HasSubstr("<tr class=\"faint\">"));
  EXPECT_THAT(html, HasSubstr("title=\"mean of 1 / rank\">MRR</th>"));
}

TEST(PageTable, HasAsManyCellsInARowAsColumns) {
  const PageTable uneven{"x", {{"name"}}, {{{"a", "b"}}}};
  EXPECT_DEATH(to_html(uneven), "cells.size");
}

}  // namespace
}  // namespace hasa
