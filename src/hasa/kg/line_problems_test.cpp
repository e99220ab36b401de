#include "hasa/kg/line_problems.h"

#include "hasa/base/testing.h"

namespace hasa {
namespace {

std::string problem_in(std::string_view line, RecordFormat format = RecordFormat::tsv) {
  RecordReader reader(line, format);
  Record record;
  reader.next(record);
  return problem_of(record, triple_shape(format), false).what;
}

TEST(LineProblems, FindNoneInAGoodLine) {
  EXPECT_EQ(problem_in("dog\thypernym\tcanine\n"), "");
  EXPECT_EQ(problem_in("dog,hypernym,canine\n", RecordFormat::csv), "");
}

TEST(LineProblems, SayWhatWasExpectedAndWhatWasFound) {
  EXPECT_EQ(problem_in("dog\thypernym\n"),
            "expected head, relation and tail separated by tabs, found 2 fields: \"dog<TAB>hypernym\"");
  EXPECT_EQ(problem_in("dog\n"), "expected head, relation and tail separated by tabs, found 1 field: \"dog\"");
  EXPECT_EQ(problem_in("a\tb\tc\td\te\n"),
            "expected head, relation and tail separated by tabs, found 5 fields: \"a<TAB>b<TAB>c<TAB>d<TAB>e\"");
  EXPECT_EQ(problem_in("\n"), "expected head, relation and tail separated by tabs, found an empty line");
  EXPECT_EQ(problem_in("a\t\tb\n"),
            "expected head, relation and tail separated by tabs, found an empty relation: \"a<TAB><TAB>b\"");
  EXPECT_EQ(problem_in("a\tb\t\xFF\n"), "expected UTF-8, found byte 0xFF at byte 5 of the line: \"a<TAB>b<TAB>\\xFF\"");
  EXPECT_EQ(problem_in("a,\"b,c\n", RecordFormat::csv),
            "expected head, relation and tail separated by commas, found a quote that is never closed: \"a,\"b,c\"");
}

TEST(LineProblems, SayWhereInTheLine) {
  const auto column = [](std::string_view line, RecordFormat format = RecordFormat::tsv) {
    RecordReader reader(line, format);
    Record record;
    reader.next(record);
    return problem_of(record, triple_shape(format), false).column;
  };
  EXPECT_EQ(column("dog\thypernym\n"), 13U);         // where the tail is missing
  EXPECT_EQ(column("a\tb\tc\td\n"), 7U);             // where there is one too many
  EXPECT_EQ(column("\xC3\xA9\xC3\xA9\t\tb\n"), 4U);  // characters, not bytes
  EXPECT_EQ(column("a\tb\t\xFF\n"), 5U);
  EXPECT_EQ(column("a,\"b,c\n", RecordFormat::csv), 3U);
  EXPECT_EQ(column("a,b,\"c\" d\n", RecordFormat::csv), 8U);
}

TEST(LineProblems, SayWhichSeparatorWouldReadALine) {
  EXPECT_THAT(problem_in("a;b;c\n"), ::testing::EndsWith("found 1 field: \"a;b;c\"; --separator ';' would read it"));
}

TEST(LineProblems, AreOneErrorThatShowsTheFirstAndCountsAll) {
  LineProblems problems;
  for (std::uint64_t line = 1; line <= 1234; ++line) problems.add("f.tsv", line, {"wrong"});
  try {
    problems.settle(BadLines::fail);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    EXPECT_THAT(error.what(), ::testing::StartsWith("f.tsv:1: wrong\nf.tsv:2: wrong\n"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("f.tsv:20: wrong\nand 1,214 more\nnothing was imported"));
  }
}

TEST(LineProblems, AreAFindingWhenSkipped) {
  LineProblems problems;
  for (std::uint64_t line = 1; line <= 30; ++line) problems.add("f.tsv", line, {"wrong"});
  const Finding finding = problems.settle(BadLines::skip);
  EXPECT_EQ(finding.count, 30U);
  EXPECT_EQ(finding.examples.at(0), "f.tsv:1: wrong");
}

TEST(LineProblems, OfALaterPieceKeepTheirLineInTheFile) {
  LineProblems piece, all;
  piece.add("", 3, {"wrong", 7});
  all.append(piece, "f.tsv", 101);
  EXPECT_EQ(all.settle(BadLines::skip).examples.at(0), "f.tsv:103:7: wrong");
}

}  // namespace
}  // namespace hasa
