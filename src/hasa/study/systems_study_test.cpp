#include "hasa/study/systems_study.h"

#include "hasa/base/testing.h"
#include "hasa/study/paper_figures.h"
#include "hasa/study/runs_for_tests.h"

namespace hasa {
namespace {

using ::testing::HasSubstr;

/// Of 200 queries `first` came first, the others at `rest`.
SystemRow row(const std::string& name, SystemKind kind, std::size_t first, double rest = 20) {
  std::vector<double> ranks(200, rest);
  std::fill_n(ranks.begin(), first, 1);
  return {.kind = kind, .runs = testing::runs_with_ranks(name, {ranks}), .queries = 200};
}

SystemsTable table(std::size_t transe, std::size_t rotate, std::size_t star, std::size_t hasa, std::size_t plus,
                   double rest_of_text = 20) {
  return {"animal",
          {row("TransE", SystemKind::classic, transe, 500), row("RotatE", SystemKind::classic, rotate, 500),
           row("StAR", SystemKind::text, star, rest_of_text), row("HaSa", SystemKind::hasa, hasa, rest_of_text),
           row("HaSa+", SystemKind::hasa, plus, rest_of_text)}};
}

TEST(Systems, FindHasaPlusTheBestWhereItIsAndNotWhereItIsNot) {
  const Verdict up = judge_best_system(table(20, 80, 40, 100, 150));
  EXPECT_EQ(up.claim, 7);
  EXPECT_EQ(up.agreement, Agreement::agrees);
  EXPECT_THAT(up.sentence, HasSubstr("HaSa+ Hits@1 .750 beside HaSa's .500: +.250"));
  EXPECT_THAT(up.sentence, HasSubstr("the best beyond chance in 4 of 4. Not among them: DistMult, ComplEx"));
  const Verdict down = judge_best_system(table(20, 160, 40, 100, 150));
  EXPECT_EQ(down.agreement, Agreement::disagrees);
  EXPECT_THAT(down.sentence, HasSubstr("HaSa+ Hits@1 .750 beside RotatE's .800: −.050"));
  // Best by too little to be told from chance is not best.
  EXPECT_EQ(judge_best_system(table(20, 80, 40, 149, 150)).agreement, Agreement::disagrees);
}

TEST(Systems, WeighLanguageModelsMeanRanksAgainstTheirHits) {
  const Verdict up = judge_language_models(table(80, 90, 30, 90, 120));
  EXPECT_EQ(up.claim, 8);
  EXPECT_EQ(up.agreement, Agreement::agrees);
  // 120 of 200 at rank 20 are 12 in the mean; of three, HaSa's is the median: (90 + 110 * 20) / 200 = 11.45.
  EXPECT_THAT(up.sentence, HasSubstr("the median mean rank is 11 with a language model"));
  EXPECT_THAT(up.sentence, HasSubstr(", which is better; the median Hits@1 of the other language models is .150 and "
                                     "without one .425, which is worse"));
  const Verdict down = judge_language_models(table(10, 20, 120, 60, 60, /*rest_of_text=*/5000));
  EXPECT_EQ(down.agreement, Agreement::disagrees);
  EXPECT_THAT(down.sentence, HasSubstr("no better"));
  EXPECT_THAT(down.sentence, HasSubstr("no worse"));
}

TEST(Systems, ExpectRotatEAheadOfHasa) {
  std::vector<double> hasa(200, 8), plus(200, 8);  // HaSa+ has more among the ten best and as many first
  std::fill_n(hasa.begin(), 100, 1);
  std::fill_n(plus.begin(), 100, 1);
  std::fill_n(hasa.begin() + 150, 50, 11);
  SystemsTable up{"animal",
                  {row("RotatE", SystemKind::classic, 160),
                   row("StAR", SystemKind::text, 30),
                   {SystemKind::hasa, testing::runs_with_ranks("HaSa", {hasa}), 200},
                   {SystemKind::hasa, testing::runs_with_ranks("HaSa+", {plus}), 200}}};
  // Of MRR, 50 times 1/8 - 1/11 is beyond chance too: the claim's last part fails.
  EXPECT_THAT(judge_behind_rotate(up).sentence, HasSubstr("Parts of the claim that hold: 5 of 6"));
  EXPECT_EQ(judge_behind_rotate(up).agreement, Agreement::mixed);
  std::fill_n(plus.begin(), 5, 3);  // now it has fewer first, and its MRR is not above HaSa's
  up.rows[3].runs = testing::runs_with_ranks("HaSa+", {plus});
  EXPECT_EQ(judge_behind_rotate(up).agreement, Agreement::agrees);
  const Verdict down = judge_behind_rotate(table(20, 30, 160, 100, 60));
  EXPECT_EQ(down.claim, 9);
  EXPECT_THAT(down.sentence, HasSubstr("Parts of the claim that hold: 1 of 6"));
}

TEST(Systems, AreComparedOnTheQueriesThatBothWereRankedBy) {
  SystemRow all = row("RotatE", SystemKind::classic, 50), sample = row("KG-BERT", SystemKind::text, 60);
  sample.runs.seeds[0].ranks.resize(100);
  const Difference difference = difference_of(all, sample, RankMetric::hits_at_1);
  EXPECT_DOUBLE_EQ(difference.a, 0.5);
  EXPECT_DOUBLE_EQ(difference.b, 0.6);
}

TEST(Systems, AreJudgedByTheClaimsOfTheirGraph) {
  const auto claims_on = [](const std::string& graph) {
    SystemsTable made = table(20, 80, 40, 100, 150);
    made.graph = graph;
    std::vector<int> claims;
    for (const Verdict& each : systems_result({made}).verdicts) claims.push_back(each.claim);
    return claims;
  };
  EXPECT_EQ(claims_on("WN18RR"), (std::vector<int>{7, 8}));
  EXPECT_EQ(claims_on("FB15k-237"), (std::vector<int>{8, 9}));
  EXPECT_EQ(claims_on("animal"), (std::vector<int>{7, 8, 9}));
}

TEST(Systems, StandBesideThePapersFigures) {
  SystemsTable made = table(20, 80, 40, 100, 150);
  made.graph = "WN18RR";
  const PageTable shown = systems_result({made}).tables.at(0);
  EXPECT_EQ(shown.rows.at(1).cells.at(5).text, ".476");  // RotatE
  EXPECT_EQ(shown.rows.at(4).cells.at(3).text, "112");   // HaSa+
  EXPECT_FALSE(paper_metrics("HaSa+", "animal").has_value());
  EXPECT_FALSE(paper_metrics("KG-BERT", "FB15k-237")->mrr.has_value());
}

TEST(Systems, ReadALineOfTheConfig) {
  const SystemOptions system =
      parse_system("RotatE | classic | configs/{graph}_rotate.yaml model.dim=100 train.epochs=2");
  EXPECT_EQ(system.name, "RotatE");
  EXPECT_EQ(system.kind, SystemKind::classic);
  EXPECT_EQ(system.recipe.config, "configs/{graph}_rotate.yaml");
  EXPECT_EQ(system.recipe.set, (std::vector<std::string>{"model.dim=100", "train.epochs=2"}));
  EXPECT_ERROR(parse_system("RotatE | classical | a.yaml"), "expected classic, text or hasa");
  EXPECT_ERROR(parse_system("RotatE: a.yaml"), "is not NAME | KIND | FILE");
  EXPECT_ERROR(parse_system("RotatE | classic | a.yaml b.yaml"), "neither KEY=VALUE nor the one file");
}

}  // namespace
}  // namespace hasa
