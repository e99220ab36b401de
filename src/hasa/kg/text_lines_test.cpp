#include "hasa/kg/text_lines.h"

#include "hasa/base/testing.h"

namespace hasa {
namespace {

struct Read {
  Vocabulary ids;
  LineProblems problems;
  Finding repeated, unused;

  TextLines operator()(const NamedText& file, TextLayout layout, NewIds new_ids) {
    return TextLines(file, layout, new_ids, ids, problems, repeated, unused);
  }
};

TEST(TextLines, TakeTwoColumnsAsIdAndDescriptionWhereNamesAreOptional) {
  Read read;
  const TextLines texts =
      read({"f", "a\tA\tfirst\nb\tsecond\n"}, TextLayout::optional_name_and_description, NewIds::add);
  EXPECT_EQ(texts.names(2)[0], "A");
  EXPECT_EQ(texts.descriptions(2)[0], "first");
  EXPECT_EQ(texts.names(2)[1], "");
  EXPECT_EQ(texts.descriptions(2)[1], "second");
}

TEST(TextLines, LeaveOutAndCountIdsThatAreNotAskedFor) {
  Read read;
  read.ids.add("a");
  read.ids.add("c");
  const TextLines texts = read({"f", "b\tone\nc\ttwo\n"}, TextLayout::words, NewIds::leave_out);
  EXPECT_EQ(read.ids.size(), 2U);
  EXPECT_THAT(read.unused.examples, ::testing::ElementsAre("b"));
  EXPECT_EQ(texts.descriptions(2)[1], "two");
  Finding unlisted;
  texts.find_unlisted(read.ids, unlisted);
  EXPECT_THAT(unlisted.examples, ::testing::ElementsAre("a"));
}

TEST(TextLines, ReadCsvByTheFilesName) {
  Read read;
  const TextLines texts =
      read({"f.csv", "a,\"A, the \"\"first\"\"\",\"two\nlines\"\n"}, TextLayout::name_and_description, NewIds::add);
  EXPECT_EQ(texts.names(1)[0], "A, the \"first\"");
  EXPECT_EQ(texts.descriptions(1)[0], "two\nlines");
}

TEST(TextLines, MakeTablesAsLongAsAsked) {
  Read read;
  const TextLines texts = read({"f", "a\tone\n"}, TextLayout::words, NewIds::add);
  EXPECT_EQ(texts.descriptions(3).size(), 3U);
  EXPECT_EQ(texts.descriptions(3)[2], "");
}

}  // namespace
}  // namespace hasa
