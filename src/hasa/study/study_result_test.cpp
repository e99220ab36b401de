#include "hasa/study/study_result.h"

#include <nlohmann/json.hpp>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

TEST(StudyResult, ComesBackFromItsJson) {
  StudyResult result{.title = "A title", .summary = "What was done.", .verdicts = {{2, Agreement::mixed, "So and so."}}, .figures = {}, .tables = {}, .files = {{"a.csv", "x"}}};
  result.tables.push_back({.caption = "Numbers", .columns = {{"name"}, {"value", true, "in nats"}}, .rows = {{{{"one"}, {"1.5", 1.5}}}}});
  result.figures.push_back({Histogram{.text = {"h", "H", "D"}, .counted = "draws", .buckets = {{"1", 3, "one"}}}, "A remark.", result.tables[0]});
  const std::string text = to_json(result).dump();
  const StudyResult back = study_result_from_json(nlohmann::ordered_json::parse(text));
  EXPECT_EQ(to_json(back).dump(), text);
  EXPECT_EQ(back.verdicts[0].agreement, Agreement::mixed);
  EXPECT_EQ(back.files[0].name, "a.csv");
  EXPECT_EQ(back.tables[0].rows[0].cells[1].value, 1.5);
}

TEST(StudyResult, RefusesJsonOfSomethingElse) {
  EXPECT_ERROR(study_result_from_json({{"title", "A"}}), "a study's result cannot be read");
  EXPECT_ERROR(study_result_from_json({{"title", ""}, {"summary", ""}, {"verdicts", {{{"claim", 1}, {"agreement", "perhaps"}, {"sentence", ""}}}}}),
               "a verdict is \"perhaps\", expected agrees, mixed or disagrees");
}

TEST(StudyResult, IsMixedWhereFindingsDiffer) {
  using enum Agreement;
  EXPECT_EQ(overall({agrees, agrees}), agrees);
  EXPECT_EQ(overall({disagrees}), disagrees);
  EXPECT_EQ(overall({agrees, disagrees}), mixed);
  EXPECT_EQ(overall({agrees, mixed}), mixed);
}

TEST(StudyResult, QuotesCellsThatWouldBreakTheLine) {
  EXPECT_EQ(to_csv({"a", "b"}, {{"dog, domestic dog", "says \"woof\""}, {"1", "2"}}),
            "a,b\n\"dog, domestic dog\",\"says \"\"woof\"\"\"\n1,2\n");
}

TEST(PaperClaims, AreNumberedWithoutGaps) {
  int number = 0;
  for (const PaperClaim& claim : paper_claims()) {
    EXPECT_EQ(claim.number, ++number);
    EXPECT_FALSE(claim.place.empty());
    EXPECT_FALSE(claim.statement.empty());
  }
  EXPECT_ERROR(paper_claim(number + 1), "there is no " + std::to_string(number + 1));
}

}  // namespace
}  // namespace hasa
