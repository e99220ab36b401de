#include "hasa/text/vocab_file.h"

#include "hasa/base/file.h"
#include "hasa/base/testing.h"

namespace hasa {
namespace {

using ::testing::ElementsAre;

TEST(VocabFile, GivesEachLineItsPlace) {
  EXPECT_THAT(parse_vocab("[UNK]\na\n##b\n", "v"), ElementsAre("[UNK]", "a", "##b"));
}

TEST(VocabFile, NeedsNoNewlineAtTheEndAndTakesCrlf) {
  EXPECT_THAT(parse_vocab("a\r\nb", "v"), ElementsAre("a", "b"));
  EXPECT_THAT(parse_vocab("a \nb\t\r\n", "v"), ElementsAre("a", "b"));
}

TEST(VocabFile, RefusesAnEmptyFile) { EXPECT_ERROR(parse_vocab("", "v.txt"), "v.txt: the file is empty"); }

TEST(VocabFile, NamesTheLineThatIsEmpty) {
  EXPECT_ERROR(parse_vocab("a\n\nb\n", "v.txt"), "v.txt:2: the line is empty");
  EXPECT_ERROR(parse_vocab("\n", "v.txt"), "v.txt:1: the line is empty");
  EXPECT_ERROR(parse_vocab("a\n\r\n", "v.txt"), "v.txt:2: the line is empty");
}

TEST(VocabFile, NamesBothLinesOfARepeatedToken) {
  EXPECT_ERROR(parse_vocab("a\nb\na\n", "v.txt"), "v.txt:3: \"a\" is on line 1 already");
}

TEST(VocabFile, NamesTheLineThatIsNotUtf8) {
  EXPECT_ERROR(parse_vocab("a\nb\xFF\n", "v.txt"), "v.txt:2: byte 2 of the line is not UTF-8");
}

TEST(VocabFile, NamesAFileThatIsNotThere) {
  const testing::TempDir folder;
  EXPECT_ERROR(read_vocab_file(folder / "vocab.txt"), "vocab.txt");
}

TEST(VocabFile, NamesTheFileItRead) {
  const testing::TempDir folder;
  write_file(folder / "vocab.txt", "a\na\n");
  EXPECT_ERROR(read_vocab_file(folder / "vocab.txt"), (folder / "vocab.txt:2").string());
}

}  // namespace
}  // namespace hasa
