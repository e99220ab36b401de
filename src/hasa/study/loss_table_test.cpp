#include "hasa/study/loss_table.h"

#include "hasa/base/testing.h"
#include "hasa/study/runs_for_tests.h"

namespace hasa {
namespace {

using ::testing::HasSubstr;
using testing::runs_with_firsts;

LossTable table_with(std::size_t simple, std::size_t hard, std::size_t hasa, const std::string& graph = "animal") {
  return {graph,
          {runs_with_firsts("Simple", simple), runs_with_firsts("Hard", hard), runs_with_firsts("HaSa", hasa),
           runs_with_firsts("HaSa+", hasa)},
          {2, 2, 2, 2},
          {}};
}

const Verdict& verdict_on_claim(const StudyResult& result, int claim) {
  for (const Verdict& each : result.verdicts) {
    if (each.claim == claim) return each;
  }
  throw std::out_of_range("no such verdict");
}

TEST(LossTable, TurnsItsSentencesRoundWithTheData) {
  const StudyResult up = loss_table_result({table_with(5, 20, 35)}), down = loss_table_result({table_with(35, 20, 5)});
  for (const int claim : {3, 4}) {
    EXPECT_EQ(verdict_on_claim(up, claim).agreement, Agreement::agrees);
    EXPECT_EQ(verdict_on_claim(down, claim).agreement, Agreement::disagrees);
  }
  EXPECT_THAT(verdict_on_claim(up, 3).sentence, HasSubstr("On animal, Hard has Hits@1 .500 and Simple .125: +.375"));
  EXPECT_THAT(verdict_on_claim(down, 3).sentence, HasSubstr("On animal, Hard has Hits@1 .500 and Simple .875: −.375"));
  EXPECT_THAT(verdict_on_claim(down, 3).sentence, HasSubstr("no gain"));
}

TEST(LossTable, FindsNoGainWhereLossesAreAlike) {
  EXPECT_EQ(verdict_on_claim(loss_table_result({table_with(20, 20, 20)}), 4).agreement, Agreement::disagrees);
}

TEST(LossTable, IsOfTwoMindsWhereGraphsDiffer) {
  const StudyResult result = loss_table_result({table_with(5, 20, 35, "WN18RR"), table_with(35, 20, 20, "FB15k-237")});
  EXPECT_EQ(verdict_on_claim(result, 3).agreement, Agreement::mixed);
  EXPECT_EQ(result.figures.size(), 2U);
}

TEST(LossTable, GivesEachLossTheOptionsThatMeanSomethingToIt) {
  LossTableConfig config;
  config.shared = {"train.epochs=2|4"};
  config.hardness = {"loss.beta=0.1|1"};
  config.structure = {"loss.tau=1e-5|1e-3|1e-2"};
  const auto losses = loss_choices(config);
  ASSERT_EQ(losses.size(), 4U);
  EXPECT_EQ(losses[0].grid.size(), 2U);
  EXPECT_EQ(losses[1].grid.size(), 4U);
  EXPECT_EQ(losses[2].grid.size(), 12U);
  EXPECT_EQ(losses[3].grid.size(), 12U);
}

TEST(LossTable, CallsNothingHardOrHasaThatIsNot) {
  LossTableConfig config;
  config.hardness = {"loss.beta=0|1"};
  config.structure = {"loss.tau=1e-5"};
  EXPECT_ERROR(loss_choices(config), "a row called Hard has loss.beta above 0, but may choose loss.beta=0");
  config.hardness = {"loss.beta=1"};
  config.structure = {"loss.tau=0"};
  EXPECT_ERROR(loss_choices(config), "a row called HaSa has loss.tau above 0");
  config.structure = {};
  EXPECT_ERROR(loss_choices(config), "HaSa has no values of loss.tau to choose from");
}

TEST(LossTable, ReadsAnAblationsNameAndOptions) {
  const Ablation ablation = parse_ablation("without context: text.context=0 text.max_tokens=40");
  EXPECT_EQ(ablation.name, "without context");
  EXPECT_EQ(ablation.options, (std::vector<std::string>{"text.context=0", "text.max_tokens=40"}));
  EXPECT_ERROR(parse_ablation("text.context=0"), "has no name");
}

TEST(LossTable, ComparesAnAblationWithTheOneThatItChangesFurther) {
  const std::vector<Ablation> ablations{{"with context", {"text.context=8"}},
                                        {"as one pair", {"model.query=joint"}},
                                        {"with context and a leak", {"text.context=8", "text.hidden_edges=none"}}};
  const auto bases = ablation_bases(ablations);
  EXPECT_EQ(bases[0], std::nullopt);
  EXPECT_EQ(bases[1], std::nullopt);
  EXPECT_EQ(bases[2], std::optional<std::size_t>(0));
  LossTable table = table_with(5, 20, 35);
  for (const char* name : {"HaSa+ with context", "HaSa+ with context and a leak"})
    table.rows.push_back(runs_with_firsts(name, 10));
  table.bases = {3, 4};
  const PageTable shown = loss_table_result({table}).tables.at(1);
  EXPECT_EQ(shown.rows.at(shown.rows.size() - 1).cells.at(0).text,
            "HaSa+ with context and a leak − HaSa+ with context");
}

TEST(LossTable, HasTrueRowsInEverySize) {
  for (const StudySize size : {StudySize::tiny, StudySize::quick, StudySize::full})
    EXPECT_NO_THROW(loss_choices(LossTableConfig::of(size)));
}

}  // namespace
}  // namespace hasa
