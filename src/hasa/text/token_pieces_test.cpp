#include "hasa/text/token_pieces.h"

#include <string>
#include <vector>

#include "hasa/base/file.h"
#include "hasa/base/rng.h"
#include "hasa/base/testing.h"

namespace hasa {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

const WordPiece& tokenizer() {
  static const WordPiece made({"[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "b", "##b", "[", "]"}, {});
  return made;
}

TEST(TokenPieces, HoldARowForEachText) {
  const std::vector<std::string> texts = {"a b", "", "abb"};
  const TokenPieces pieces = TokenPieces::build(tokenizer(), texts, kNoLimit);
  ASSERT_EQ(pieces.rows(), 3u);
  EXPECT_THAT(pieces.row(0), ElementsAre(4, 5));
  EXPECT_THAT(pieces.row(1), IsEmpty());
  EXPECT_THAT(pieces.row(2), ElementsAre(4, 6, 6));
  EXPECT_THAT(pieces.offsets(), ElementsAre(0, 2, 2, 5));
}

TEST(TokenPieces, TakeSpecialTokensForText) {
  const std::vector<std::string_view> texts = {"a[SEP]"};
  EXPECT_THAT(TokenPieces::build(tokenizer(), texts, kNoLimit).row(0), ElementsAre(4, 7, 1, 8));
}

TEST(TokenPieces, KeepTheFirstPiecesOfEachText) {
  const std::vector<std::string> texts = {"a b a", "b"};
  const TokenPieces pieces = TokenPieces::build(tokenizer(), texts, 2);
  EXPECT_THAT(pieces.row(0), ElementsAre(4, 5));
  EXPECT_THAT(pieces.row(1), ElementsAre(5));
}

TEST(TokenPieces, OfNoTextsHaveNoRows) {
  EXPECT_EQ(TokenPieces().rows(), 0u);
  EXPECT_EQ(TokenPieces::build(tokenizer(), std::vector<std::string>{}, 8).rows(), 0u);
}

TEST(TokenPieces, BuiltInPartsEqualTheTextsOneByOne) {
  Rng rng(7);
  std::vector<std::string> texts(20'000);
  for (std::string& text : texts) {
    text.resize(rng.below(20));
    for (char& c : text) c = "ab "[rng.below(3)];
  }
  const auto text_of = [&](std::size_t row, std::string& storage) -> std::string_view { return storage = texts[row]; };
  const TokenPieces pieces = TokenPieces::build(tokenizer(), texts.size(), text_of, 5);
  ASSERT_EQ(pieces.rows(), texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::vector<std::int32_t> alone;
    tokenizer().encode(texts[i], alone, 5);
    ASSERT_THAT(pieces.row(i), ElementsAreArray(alone)) << i;
  }
}

TEST(TokenPieces, PassOnAnErrorOfTheTexts) {
  const auto text_of = [](std::size_t row, std::string&) -> std::string_view {
    HASA_CHECK(row != 5000, data, "text {} is lost", row);
    return "a";
  };
  EXPECT_ERROR(TokenPieces::build(tokenizer(), 9000, text_of, 8), "text 5000 is lost");
}

TEST(TokenPieces, ComeBackFromAFileAsTheyWere) {
  const testing::TempDir folder;
  const std::vector<std::string> texts = {"a b", "", "abb"};
  const TokenPieces pieces = TokenPieces::build(tokenizer(), texts, 7, /*source=*/99);
  pieces.save(folder / "texts.tokens");
  TokenPieces opened = TokenPieces::open(folder / "texts.tokens");
  EXPECT_THAT(opened.ids(), ElementsAreArray(pieces.ids()));
  EXPECT_THAT(opened.offsets(), ElementsAreArray(pieces.offsets()));
  EXPECT_EQ(opened.stamp(), PiecesStamp::of(tokenizer(), 7, 99));

  const TokenPieces copy = opened;
  opened = {};
  EXPECT_THAT(copy.row(2), ElementsAre(4, 6, 6));
}

TEST(TokenPieces, OfNoTextsCanBeStored) {
  const testing::TempDir folder;
  TokenPieces().save(folder / "none.tokens");
  EXPECT_EQ(TokenPieces::open(folder / "none.tokens").rows(), 0u);
}

TEST(TokenPieces, ShowWhenTheyAreStale) {
  const std::vector<std::string> texts = {"a"};
  const PiecesStamp stamp = TokenPieces::build(tokenizer(), texts, 7, 99).stamp();
  TokenizerSettings cased;
  cased.lower_case = false;
  const WordPiece other({"[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "b", "##b", "[", "]"}, cased);
  EXPECT_NE(stamp, PiecesStamp::of(other, 7, 99));
  EXPECT_NE(stamp, PiecesStamp::of(tokenizer(), 8, 99));
  EXPECT_NE(stamp, PiecesStamp::of(tokenizer(), 7, 98));
}

TEST(TokenPieces, RefuseFilesWhoseRowsOrIdsAreWrong) {
  const testing::TempDir folder;
  const auto write = [&](const std::vector<std::int64_t>& offsets, const std::vector<std::int32_t>& ids) {
    const PiecesStamp stamp = PiecesStamp::of(tokenizer(), 8);
    ArchiveWriter writer("tokens", 1);
    writer.add("stamp", std::span<const PiecesStamp>(&stamp, 1));
    writer.add("offsets", offsets);
    writer.add("ids", ids);
    writer.save(folder / "bad.tokens");
    return TokenPieces::open(folder / "bad.tokens");
  };
  EXPECT_EQ(write({0, 1}, {4}).rows(), 1u);
  EXPECT_ERROR(write({0, 2}, {4}), "do not add up to 1 pieces");
  EXPECT_ERROR(write({0, 5, 1}, {4}), "do not add up");
  EXPECT_ERROR(write({-1, 1}, {4}), "do not add up");
  EXPECT_ERROR(write({}, {}), "do not add up");
  EXPECT_ERROR(write({0, 1}, {9}), "id 9 is not in a vocabulary of 9");
  EXPECT_ERROR(write({0, 1}, {-1}), "id -1 is not in a vocabulary");
}

TEST(TokenPieces, RefuseOtherFiles) {
  const testing::TempDir folder;
  write_file(folder / "x", "no archive");
  EXPECT_ERROR(TokenPieces::open(folder / "x"), "x");
}

}  // namespace
}  // namespace hasa
