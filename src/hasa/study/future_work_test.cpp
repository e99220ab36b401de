#include "hasa/study/future_work.h"

#include <cmath>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

std::vector<FormResult> results_with(const std::string& form, const std::string& other, double gain, std::int64_t seeds) {
  std::vector<FormResult> results;
  for (std::int64_t seed = 1; seed <= seeds; ++seed) {
    const double mrr = 0.3 + 0.05 * static_cast<double>(seed);  // seeds differ by far more than the forms
    results.push_back({"animal", other, seed, mrr});
    results.push_back({"animal", form, seed, mrr + gain + 0.0001 * static_cast<double>(seed)});
  }
  return results;
}

TEST(FutureWork, ComparesContextsSeedBySeedAndTurnsRoundWithTheData) {
  const Verdict better = judge_contexts(results_with(kHardContextForm, kSimpleContextForm, 0.01, 3));
  EXPECT_EQ(better.agreement, Agreement::agrees);
  EXPECT_THAT(better.sentence, ::testing::HasSubstr("+0.0102"));
  EXPECT_EQ(judge_contexts(results_with(kHardContextForm, kSimpleContextForm, -0.01, 3)).agreement, Agreement::disagrees);
  EXPECT_EQ(judge_contexts(results_with(kHardContextForm, kSimpleContextForm, -0.0002, 3)).agreement, Agreement::mixed);
}

TEST(FutureWork, DecidesNothingByOneSeed) {
  const Verdict verdict = judge_contexts(results_with(kHardContextForm, kSimpleContextForm, 0.1, 1));
  EXPECT_EQ(verdict.agreement, Agreement::mixed);
  EXPECT_THAT(verdict.sentence, ::testing::HasSubstr("one seed, which decides nothing"));
}

TEST(FutureWork, ComparesEachMeasureWithTheShortestPath) {
  const std::string form = "HaSa, near by Adamic-Adar";
  const Verdict better = judge_alphas(results_with(form, kShortestPathForm, 0.01, 3));
  EXPECT_EQ(better.agreement, Agreement::agrees);
  EXPECT_THAT(better.sentence, ::testing::HasSubstr("On animal, Adamic-Adar instead of the shortest path"));
  EXPECT_EQ(judge_alphas(results_with(form, kShortestPathForm, -0.01, 3)).agreement, Agreement::disagrees);
}

TEST(FutureWork, AsksOfTheBoundThatItRisesAndStaysBelowTheEntropy) {
  const auto curve = [](double first, double last) {
    return InformationCurve{"animal", "Simple InfoNCE", 1, 5.0, {{1, first, 0.1}, {2, last, 0.2}}};
  };
  EXPECT_EQ(judge_information({curve(2, 4)}).agreement, Agreement::agrees);
  EXPECT_EQ(judge_information({curve(4, 2)}).agreement, Agreement::mixed);
  EXPECT_EQ(judge_information({curve(7, 6)}).agreement, Agreement::disagrees);
  EXPECT_THAT(judge_information({curve(2, 4)}).sentence, ::testing::HasSubstr("ends at 80% to 80% of it"));
}

TEST(FutureWork, EntropyOfEquallyFrequentAnswersIsTheLogarithmOfTheirNumber) {
  GraphParts parts;
  for (const char* id : {"a", "b", "c", "d"}) parts.entities.add(id);
  parts.relations.add("r");
  parts.triples[0] = {{0, 0, 1}, {2, 0, 3}};
  EXPECT_NEAR(answer_entropy(Graph(std::move(parts))), std::log(4.0), 1e-12);
}

}  // namespace
}  // namespace hasa
