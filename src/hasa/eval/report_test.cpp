#include "hasa/eval/report.h"

#include <nlohmann/json.hpp>

#include "hasa/base/testing.h"
#include "hasa/kg/read_benchmark.h"

namespace hasa {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Graph small(const std::string& r) {
  return parse_benchmark({"small",
                          {"train.txt", "a\t" + r + "\tb\nb\ts\tc\nc\ts\td\n"},
                          {"valid.txt", "a\t" + r + "\tc\n"},
                          {"test.txt", "a\t" + r + "\td\nb\ts\ta\n"},
                          {},
                          {}});
}

Report report(const char* relation = "r") {
  const Graph graph = small(relation);
  std::vector<RankedQuery> ranked;
  for (const Triple& query : with_inverses(graph.triples(Split::test), graph.relations()))
    ranked.push_back({query, static_cast<std::int64_t>(ranked.size()), 1, 2, 3});
  Report made = make_report(ranked, graph);
  made.run = "runs/<one>";
  made.paper = PaperScores{2, 0.5, 0.75, 0.5, 1, 1};
  RunFacts facts;
  facts.model.name = "a model";
  made.certificate = certify(facts, graph, {});
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

TEST(ReportPage, SaysTheResultInWordsAndNamesGraphAndModel) {
  Report made = report();
  made.graph = "Animals";
  made.scores.all = {
      .queries = 1296, .mean_rank = 11, .mrr = .617, .hits_at_1 = .496, .hits_at_3 = .7, .hits_at_10 = .86};
  const std::string page = to_html(made);
  EXPECT_THAT(page, HasSubstr("ranked first in 50% of 1,296 queries, and in the top ten in 86%"));
  EXPECT_THAT(page, HasSubstr("<title>Animals: a model</title>"));
}

TEST(ReportPage, ShowsRelationsFirstAndNoChartOfASingleGroup) {
  const std::string page = to_html(report());
  const std::size_t first = page.find("id=\"by-");
  EXPECT_EQ(page.compare(first, 15, "id=\"by-relation"), 0) << page.substr(first, 40);
  EXPECT_THAT(page, HasSubstr("id=\"by-direction"));
  EXPECT_THAT(page, Not(HasSubstr("id=\"by-answer_seen")));  // all of the answers are seen
}

TEST(ReportPage, ShowsNoIntervalOfGroupsOfFewerThanTenQueries) {
  const std::string page = to_html(report());  // of four queries
  const std::string relations = page.substr(page.find("id=\"by-relation"), 3000);
  EXPECT_THAT(relations, HasSubstr("mark faint"));
  EXPECT_THAT(relations, Not(HasSubstr("whisker")));
  EXPECT_THAT(relations, HasSubstr("tr class=\"faint\""));
}

TEST(ReportPage, ShowsFloorsOnTheSameQueriesAndChance) {
  const Graph graph = small("r");
  Report made = report();
  std::vector<RankedQuery> last;
  for (const Triple& query : with_inverses(graph.triples(Split::test), graph.relations()))
    last.push_back({query, 3, 0, 0, 0});
  made.floors.push_back(make_floor("always last", last, graph));
  const std::string page = to_html(made);
  EXPECT_THAT(page, HasSubstr("By comparison, always last: first in 0%, in the top ten in 100%."));
  // Four entities: 1/4 of 1 + 1/2 + 1/3 + 1/4 by chance, and a rank of 4 is worth 1/4.
  EXPECT_THAT(page, HasSubstr(">chance .521</text>"));
  const std::string relations = page.substr(page.find("id=\"by-relation"), 3000);
  EXPECT_THAT(relations, HasSubstr("always last: .250"));
}

TEST(ReportPage, ShowsTheTrainingCurveIfKnown) {
  Report made = report();
  EXPECT_THAT(to_html(made), Not(HasSubstr("id=\"validation\"")));
  made.training = {{1, 5.0, std::nullopt}, {2, 4.0, 0.25}, {3, 3.5, 0.375}};
  const std::string page = to_html(made);
  EXPECT_THAT(page, HasSubstr("epoch 3: MRR .375"));
  EXPECT_THAT(page, HasSubstr("epoch 1: loss 5"));
}

TEST(ReportPage, ShowsQueriesWithPredictedAndTrueNames) {
  Report made = report();
  made.examples = {{ExampleKind::worst, "(<beagle>, hypernym, ?)", "hound & dog", 1234.5, {"cat", "bee"}}};
  const std::string page = to_html(made);
  EXPECT_THAT(page, HasSubstr("(&lt;beagle&gt;, hypernym, ?)"));
  EXPECT_THAT(page, HasSubstr("hound &amp; dog"));
  EXPECT_THAT(page, HasSubstr("1234.5"));
  EXPECT_THAT(page, HasSubstr("cat · bee"));
}

TEST(Report, ReportsHowReliableProbabilitiesAre) {
  Report made = report();
  EXPECT_THAT(to_html(made), Not(HasSubstr("id=\"reliability")));
  EXPECT_THAT(to_json(made), Not(HasSubstr("expected_calibration_error")));
  const std::vector<double> stated = {0.1, 0.3, 0.6, 0.8};
  const Reliability all = reliability_of(stated, std::vector<std::uint8_t>{0, 0, 1, 1}, 2);
  made.calibration = ReportedCalibration{"logistic regression on a score", all,
                                         reliability_of(std::span(stated).last(1), std::vector<std::uint8_t>{1})};
  // Two bins, of mean .2 and .7 with nothing and everything true: .2 and .3 off. Brier: (.01 + .09 + .16 + .04) / 4.
  EXPECT_THAT(
      to_table(made),
      HasSubstr("expected calibration error .250, Brier score .075 (.250 for always predicting the base rate .500)"));
  const auto json = nlohmann::json::parse(to_json(made))["calibration"];
  EXPECT_NEAR(json["expected_calibration_error"], 0.25, 1e-12);
  EXPECT_EQ(json["bins"].size(), 2U);
  EXPECT_NEAR(json["first"]["expected_calibration_error"], 0.2, 1e-12);
  EXPECT_THAT(to_html(made), HasSubstr("2 answers with 70.0% on average: 100.0% true"));
}

TEST(Report, ReportsUnseenEntitiesSeparately) {
  Report made = report();
  EXPECT_THAT(to_table(made), Not(HasSubstr("unseen entities")));
  made.novelty = {{"about unseen entities", {.queries = 7, .mrr = .25}, {}},
                  {"about the others", {.queries = 9, .mrr = .5}, {}}};
  EXPECT_THAT(to_table(made), HasSubstr("about unseen entities"));
  const auto json = nlohmann::json::parse(to_json(made));
  EXPECT_EQ(json["unseen"]["mrr"], .25);
  EXPECT_EQ(json["seen"]["queries"], 9);
  EXPECT_THAT(to_html(made), HasSubstr("unseen in training: MRR .250 (7 queries); the others: .500 (9)."));
}

TEST(ReportPage, HasATitleADescriptionAndATableForEveryChart) {
  const std::string page = to_html(report());
  const auto count = [&](const std::string& text) {
    std::size_t found = 0;
    for (std::size_t at = 0; (at = page.find(text, at)) != std::string::npos; ++at) ++found;
    return found;
  };
  const std::size_t charts = count("<svg ");
  EXPECT_GE(charts, 4U);
  EXPECT_EQ(count("aria-labelledby="), charts);
  EXPECT_EQ(count("<desc id="), charts);
  EXPECT_EQ(count("<details>"), charts + 1);  // and every rule for ties
}

TEST(ReportPage, ShowsWhatUsersNamedAsTextAndNeverAsMarkup) {
  const std::string page = to_html(report("<img src=x onerror=alert(1)>&\"'"));
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_THAT(page, HasSubstr("runs/&lt;one&gt;"));
  EXPECT_THAT(page, HasSubstr("&lt;img src=x onerror=alert(1)&gt;&amp;&quot;&#39;"));
}

}  // namespace
}  // namespace hasa
