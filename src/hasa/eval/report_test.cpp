#include "hasa/eval/report.h"

#include <nlohmann/json.hpp>
#include <regex>

#include "hasa/base/testing.h"
#include "hasa/kg/read_benchmark.h"

namespace hasa {
namespace {

Report report(const char* relation = "r") {
  const std::string r = relation;
  const Graph graph = parse_benchmark({"small",
                                       {"train.txt", "a\t" + r + "\tb\nb\ts\tc\nc\ts\td\n"},
                                       {"valid.txt", "a\t" + r + "\tc\n"},
                                       {"test.txt", "a\t" + r + "\td\nb\ts\ta\n"},
                                       {},
                                       {}});
  std::vector<RankedQuery> ranked;
  for (const Triple& query : with_inverses(graph.triples(Split::test), graph.relations()))
    ranked.push_back({query, static_cast<std::int64_t>(ranked.size()), 1, 2, 3});
  Report made = make_report(ranked, graph);
  made.run = "runs/<one>";
  made.paper = PaperScores{2, 0.5, 0.75, 0.5, 1, 1};
  made.certificate = certify({}, graph, {});
  return made;
}

TEST(Report, ItsJsonHoldsEverything) {
  const auto json = nlohmann::json::parse(to_json(report()));
  // Realistic ranks 1.5, 2.5, 3.5, 4.5.
  EXPECT_DOUBLE_EQ(json["all"]["mr"], 3);
  EXPECT_DOUBLE_EQ(json["rules"]["filtered"]["optimistic"]["mr"], 2.5);
  EXPECT_DOUBLE_EQ(json["rules"]["filtered"]["realistic"]["mr"], 3);
  EXPECT_DOUBLE_EQ(json["rules"]["raw"]["pessimistic"]["mr"], 8.5);
  EXPECT_EQ(json["all"]["intervals"]["mrr"].size(), 2U);
  EXPECT_EQ(json["breakdown"]["relation"].size(), 2U);
  EXPECT_EQ(json["breakdown"]["answer_degree"][0]["name"], "1");
  EXPECT_FALSE(json["paper_protocol"]["comparable"]);
  EXPECT_EQ(json["histogram"], nlohmann::json::parse(R"([{"from": 1, "below": 2, "queries": 1},
    {"from": 2, "below": 4, "queries": 2}, {"from": 4, "below": 8, "queries": 1}])"));
  EXPECT_TRUE(json["certificate"].contains("graph_hash"));
}

TEST(Report, ItsTableMarksThePapersProtocolAsNotComparable) {
  const std::string table = to_table(report());
  EXPECT_THAT(table, ::testing::HasSubstr("tail asked"));
  EXPECT_THAT(table, ::testing::HasSubstr("by distance of the pair in training"));
  EXPECT_THAT(table, ::testing::HasSubstr("NOT comparable"));
  EXPECT_THAT(table, ::testing::HasSubstr("content hash"));
}

TEST(Report, ItsPageNeedsNothingFromAnywhere) {
  const std::string page = to_html(report());
  EXPECT_FALSE(std::regex_search(page, std::regex("https?://|src=|@import|url\\(|<script|<link")));
  EXPECT_THAT(page, ::testing::HasSubstr("prefers-color-scheme: dark"));
  EXPECT_THAT(page, ::testing::HasSubstr("viewport"));
}

TEST(Report, EveryChartOfItsPageHasATitleADescriptionAndATable) {
  const std::string page = to_html(report());
  const auto count = [&](const std::string& text) {
    std::size_t found = 0;
    for (std::size_t at = 0; (at = page.find(text, at)) != std::string::npos; ++at) ++found;
    return found;
  };
  const std::size_t charts = count("<svg ");
  EXPECT_EQ(charts, 9U);
  EXPECT_EQ(count("aria-labelledby="), charts);
  EXPECT_EQ(count("<desc id="), charts);
  EXPECT_EQ(count("<details>"), charts);
}

TEST(Report, WhatUsersNamedIsTextOnItsPageAndNeverMarkup) {
  const std::string page = to_html(report("<img src=x onerror=alert(1)>&\"'"));
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_THAT(page, ::testing::HasSubstr("runs/&lt;one&gt;"));
  EXPECT_THAT(page, ::testing::HasSubstr("&lt;img src=x onerror=alert(1)&gt;&amp;&quot;&#39;"));
}

}  // namespace
}  // namespace hasa
