#include "hasa/study/claim_marks.h"

#include <algorithm>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

ClaimEvidence evidence(int claim, Agreement agreement, const std::string& graph, const std::string& size) {
  return {"losses", size, {graph}, {claim, agreement, "It came out so on " + graph + "."}};
}

TEST(ClaimMarks, AreNotYetRunWithoutEvidence) {
  for (const MarkedClaim& each : mark_claims({})) EXPECT_EQ(each.mark, ClaimMark::not_yet_run);
}

TEST(ClaimMarks, TurnWithTheEvidence) {
  const auto mark = [](std::vector<Agreement> agreements) {
    std::vector<ClaimEvidence> all;
    for (const Agreement each : agreements) all.push_back(evidence(3, each, "WN18RR", "full"));
    return mark_claims(all)[2].mark;
  };
  EXPECT_EQ(mark({Agreement::agrees, Agreement::agrees}), ClaimMark::confirmed);
  EXPECT_EQ(mark({Agreement::agrees, Agreement::disagrees}), ClaimMark::mixed);
  EXPECT_EQ(mark({Agreement::disagrees, Agreement::disagrees}), ClaimMark::not_confirmed);
}

TEST(ClaimMarks, CountThePapersGraphsAloneWhereTheyWereRun) {
  const std::vector<ClaimEvidence> both{evidence(4, Agreement::agrees, "animal", "quick"),
                                        evidence(4, Agreement::disagrees, "FB15k-237", "full")};
  const MarkedClaim of_paper = mark_claims(both)[3], stand_in = mark_claims(std::span(both).first(1))[3];
  EXPECT_EQ(of_paper.mark, ClaimMark::not_confirmed);
  EXPECT_FALSE(of_paper.stands_in);
  EXPECT_EQ(of_paper.evidence.size(), 1U);
  EXPECT_EQ(stand_in.mark, ClaimMark::confirmed);
  EXPECT_TRUE(stand_in.stands_in);
}

TEST(ClaimMarks, SayInTheTableWhatStandsInForThePapersGraphs) {
  const std::vector<ClaimEvidence> some{evidence(3, Agreement::agrees, "animal", "quick")};
  const auto marked = mark_claims(some);
  const PageTable table = claims_table(marked);
  ASSERT_EQ(table.rows.size(), paper_claims().size());
  EXPECT_EQ(table.rows[2].cells[3].text, "confirmed, on a stand-in");
  EXPECT_EQ(table.rows[2].cells[4].text, "It came out so on animal. (losses, quick form on animal)");
  EXPECT_EQ(table.rows[0].cells[3].text, "not yet run");
  EXPECT_EQ(claim_entries(marked)[2].first, "3. Section 7.2, Table 2");
  EXPECT_THAT(claim_entries(marked)[2].second, ::testing::HasSubstr("\nConfirmed, on a stand-in: It came out so"));
  EXPECT_THAT(claim_entries(marked)[0].second, ::testing::EndsWith("\nNot yet run."));
  EXPECT_EQ(count_words(marked), "1 confirmed, 20 not yet run");
  EXPECT_EQ(std::ranges::count(claim_entries(marked)[2].second, '\n'), 1);
  const std::vector<ClaimEvidence> two{some[0], some[0]};
  EXPECT_EQ(std::ranges::count(claim_entries(mark_claims(two))[2].second, '\n'), 3) << "a line for each finding";
}

}  // namespace
}  // namespace hasa
