#include "hasa/study/learning_curve.h"

#include "hasa/base/testing.h"
#include "hasa/study/language_models.h"
#include "hasa/study/learning_curves.h"
#include "hasa/study/runs_for_tests.h"

namespace hasa {
namespace {

using ::testing::HasSubstr;
using testing::runs_with_firsts;

/// Two seeds that differ by .002 at every epoch.
SeededCurve curve_through(const std::string& name, const std::vector<double>& mrr) {
  SeededCurve curve{name, {{}, {}}};
  for (std::size_t i = 0; i < mrr.size(); ++i) {
    const auto epoch = static_cast<std::int64_t>(i + 1);
    curve.seeds[0].push_back({epoch, mrr[i] - 0.001, mrr[i] / 2});
    curve.seeds[1].push_back({epoch, mrr[i] + 0.001, mrr[i] / 2});
  }
  return curve;
}

StudyResult curves_of(const std::string& graph, const std::vector<double>& simple, const std::vector<double>& hard,
                      const std::vector<double>& hasa) {
  return learning_curves_result(
      {{graph, {curve_through("Simple", simple), curve_through("Hard", hard), curve_through("HaSa", hasa)}}});
}

TEST(LearningCurve, IsReadFromTheLinesOfTheLogThatAreWholeAndValidated) {
  const auto curve = parse_learning_curve(R"({"epoch":1,"loss":2.5,"valid":{"all":{"mrr":0.25,"hits@1":0.125}}})"
                                          "\n"
                                          R"({"epoch":2,"loss":2.0})"
                                          "\n"
                                          R"({"epoch":3,"loss":1.5,"valid":{"all":{"mrr":0.5,"hits@1":0.25}}})"
                                          "\n"
                                          R"({"epoch":4,"lo)");
  ASSERT_EQ(curve.size(), 2U);
  EXPECT_EQ(curve[0].epoch, 1);
  EXPECT_DOUBLE_EQ(curve[1].mrr, 0.5);
  EXPECT_DOUBLE_EQ(curve[1].hits_at_1, 0.25);
}

TEST(LearningCurve, HasTheEpochsThatEverySeedHas) {
  SeededCurve curve = curve_through("Hard", {0.1, 0.2, 0.3});
  curve.seeds[1].erase(curve.seeds[1].begin() + 1);
  EXPECT_EQ(curve.epochs(), (std::vector<std::int64_t>{1, 3}));
  EXPECT_NEAR(curve.at(3, &CurvePoint::mrr).mean, 0.3, 1e-12);
}

TEST(LearningCurves, TurnTheirSentencesRoundWithTheData) {
  const StudyResult up = curves_of("WN18RR", {0.2, 0.3}, {0.2, 0.4}, {0.2, 0.5});
  const StudyResult down = curves_of("WN18RR", {0.2, 0.5}, {0.2, 0.4}, {0.2, 0.3});
  EXPECT_EQ(up.verdicts[0].claim, 5);
  EXPECT_EQ(up.verdicts[0].agreement, Agreement::agrees);
  EXPECT_THAT(up.verdicts[0].sentence, HasSubstr("begins alike and ends above"));
  EXPECT_EQ(up.verdicts[1].agreement, Agreement::agrees);
  EXPECT_THAT(down.verdicts[0].sentence, HasSubstr("begins alike and ends below"));
  EXPECT_EQ(down.verdicts[0].agreement, Agreement::mixed);
}

TEST(LearningCurves, AskHardToBeAboveThroughoutOnFreebase) {
  EXPECT_EQ(curves_of("FB15k-237", {0.2, 0.3}, {0.2, 0.4}, {0.2, 0.5}).verdicts[0].agreement, Agreement::mixed);
  EXPECT_EQ(curves_of("FB15k-237", {0.2, 0.3}, {0.25, 0.4}, {0.25, 0.5}).verdicts[0].agreement, Agreement::agrees);
}

ModelRuns models_with(const std::string& graph, std::size_t bert, std::size_t sentences, double bert_first,
                      double sentences_first) {
  return {graph,
          {runs_with_firsts("bert-base-uncased", bert), runs_with_firsts("all-MiniLM-L6-v2", sentences)},
          {curve_through("bert-base-uncased", {bert_first, 0.5}),
           curve_through("all-MiniLM-L6-v2", {sentences_first, 0.5})}};
}

TEST(LanguageModels, TurnTheirSentenceRoundWithTheData) {
  const auto verdict = [](const ModelRuns& runs) { return language_models_result({runs}).verdicts.at(0); };
  EXPECT_EQ(verdict(models_with("WN18RR", 30, 10, 0.1, 0.3)).agreement, Agreement::agrees);
  EXPECT_EQ(verdict(models_with("WN18RR", 10, 30, 0.3, 0.1)).agreement, Agreement::disagrees);
  EXPECT_EQ(verdict(models_with("WN18RR", 30, 10, 0.3, 0.1)).agreement, Agreement::mixed);
  EXPECT_EQ(verdict(models_with("FB15k-237", 10, 30, 0.1, 0.3)).claim, 15);
  EXPECT_EQ(verdict(models_with("FB15k-237", 10, 30, 0.1, 0.3)).agreement, Agreement::agrees);
  EXPECT_EQ(verdict(models_with("FB15k-237", 30, 10, 0.1, 0.3)).agreement, Agreement::disagrees);
}

TEST(LanguageModels, SayNothingOfThePaperWithOneModelAlone) {
  ModelRuns runs = models_with("animal", 30, 10, 0.1, 0.3);
  runs.models.pop_back();
  runs.curves.pop_back();
  const StudyResult result = language_models_result({runs});
  EXPECT_TRUE(result.verdicts.empty());
  EXPECT_THAT(result.summary, HasSubstr("says nothing of the paper's claims"));
}

}  // namespace
}  // namespace hasa
