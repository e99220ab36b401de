#include "hasa/kg/text_lines.h"

#include "hasa/base/testing.h"

namespace hasa {
namespace {

struct Read {
  Vocabulary ids;
  HeldTexts held;
  LineProblems problems;
  TextFindings findings;

  void operator()(const NamedText& file, TextLayout layout, NewIds new_ids) {
    read_text_lines(file, layout, new_ids, ids, held, problems, findings);
  }
  std::string_view name(std::int32_t id) const { return held.of(id, TextKind::name); }
  std::string_view text(std::int32_t id) const { return held.of(id, TextKind::description); }
};

TEST(TextLines, TakeTwoColumnsAsIdAndDescriptionWhereNamesAreOptional) {
  Read read;
  read({"f", "a\tA\tfirst\nb\tsecond\n\n"}, TextLayout::optional_name_and_description, NewIds::add);
  EXPECT_EQ(read.name(0), "A");
  EXPECT_EQ(read.text(0), "first");
  EXPECT_EQ(read.name(1), "");
  EXPECT_EQ(read.text(1), "second");
  EXPECT_EQ(read.problems.count(), 0U);
}

TEST(TextLines, LeaveOutAndCountIdsThatAreNotAskedFor) {
  Read read;
  read.ids.add("a");
  read.ids.add("c");
  read({"f", "b\tone\nc\ttwo\n"}, TextLayout::words, NewIds::leave_out);
  EXPECT_EQ(read.ids.size(), 2U);
  EXPECT_THAT(read.findings.unused.examples, ::testing::ElementsAre("b"));
  EXPECT_EQ(read.text(1), "two");
  EXPECT_THAT(read.findings.unlisted.examples, ::testing::ElementsAre("a"));
}

TEST(TextLines, ReadCsvByTheFilesNameAndOtherSeparatorsByLooking) {
  Read read;
  read({"f.csv", "a,\"A, the \"\"first\"\"\",\"two\nlines\"\n"}, TextLayout::name_and_description, NewIds::add);
  EXPECT_EQ(read.name(0), "A, the \"first\"");
  EXPECT_EQ(read.text(0), "two\nlines");
  read({"f.txt", "id;name;description\nb;B;second\n"}, TextLayout::name_and_description, NewIds::add);
  EXPECT_EQ(read.ids.size(), 2U);  // the first line names the columns
  EXPECT_EQ(read.text(1), "second");
}

TEST(TextLines, MakeATableForEveryIdOnceThereIsAFile) {
  Read read;
  read({"f", "a\tone\n"}, TextLayout::words, NewIds::add);
  const StringTable table = read.held.table(TextKind::description, 3);
  EXPECT_EQ(table.size(), 3U);
  EXPECT_EQ(table[2], "");
  EXPECT_EQ(read.held.table(TextKind::name, 3).size(), 0U);
}

TEST(TextLines, ReplaceWhatAnEarlierFileSaidAndCountIt) {
  Read read;
  read({"f", "a\tone\n"}, TextLayout::words, NewIds::add);
  read({"g", "a\ttwo\na\tthree\n"}, TextLayout::words, NewIds::add);
  EXPECT_EQ(read.text(0), "two");
  EXPECT_EQ(read.findings.replaced.count, 1U);
  EXPECT_THAT(read.findings.repeated.examples, ::testing::ElementsAre("g:2: a"));
}

}  // namespace
}  // namespace hasa
