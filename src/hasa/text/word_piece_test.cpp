#include "hasa/text/word_piece.h"

#include <string>
#include <vector>

#include "hasa/base/file.h"
#include "hasa/base/testing.h"

namespace hasa {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Ids = std::vector<std::int32_t>;

const std::vector<std::string> kVocabulary = {"[PAD]", "[UNK]",  "[CLS]",    "[SEP]", "[MASK]", "the",    "dog", "##s",
                                              "run",   "##ning", "a",        "un",    "##aff",  "##able", "!",   ",",
                                              ".",     "[",      "]",        "sep",   "mask",   "creme",  "东",  "京",
                                              "i",     "##i",    "##\u0307", "s",     "É",      "é",      "e",   "##g"};

WordPiece small(const TokenizerSettings& settings = {}) { return WordPiece(kVocabulary, settings); }

Ids plain(std::string_view text, std::size_t max_pieces = kNoLimit) {
  Ids ids;
  const std::size_t count = small().encode(text, ids, max_pieces);
  EXPECT_EQ(count, ids.size());
  return ids;
}

// The expected ids below are those of tokenizers 0.23.3 with this vocabulary.

TEST(WordPiece, SpellsWordsWithTheLongestPieces) {
  EXPECT_THAT(small().encode_with_specials("The dogs running, unaffable!"),
              ElementsAre(2, 5, 6, 7, 8, 9, 15, 11, 12, 13, 14, 3));
}

TEST(WordPiece, MakesAWordThatCannotBeSpelledUnknownAsAWhole) {
  EXPECT_THAT(plain("zebra dogzebra dog"), ElementsAre(1, 1, 6));
}

TEST(WordPiece, MakesAWordOfMoreThanAHundredCharactersUnknown) {
  std::vector<std::string> vocabulary = kVocabulary;
  vocabulary.emplace_back("##a");
  const WordPiece tokenizer(vocabulary, {});
  Ids ids;
  EXPECT_EQ(tokenizer.encode(std::string(100, 'a'), ids), 100u);
  ids.clear();
  tokenizer.encode(std::string(101, 'a'), ids);
  EXPECT_THAT(ids, ElementsAre(1));
}

TEST(WordPiece, CleansTextAsBertDoes) {
  using namespace std::string_view_literals;
  EXPECT_THAT(plain("CRÈME cre\u0300me"), ElementsAre(21, 21));
  EXPECT_THAT(plain("东京dog"), ElementsAre(22, 23, 6));
  EXPECT_THAT(plain("\u200Bdo\u200Bg \uFFFD\0s\x0Bs a\u00A0a\u2028a\u0085a"sv), ElementsAre(6, 27, 7, 10, 10, 1));
  EXPECT_THAT(plain("İ iİ"), ElementsAre(24, 24, 25));
}

TEST(WordPiece, GivesEmptyTextNoPieces) {
  EXPECT_THAT(plain(""), IsEmpty());
  EXPECT_THAT(small().encode_with_specials("   "), ElementsAre(2, 3));
}

TEST(WordPiece, RecognisesSpecialTokensWrittenOut) {
  const WordPiece tokenizer = small();
  EXPECT_THAT(tokenizer.encode_with_specials("dog[SEP]dog [MASK] [sep] [SEP"),
              ElementsAre(2, 6, 3, 6, 4, 17, 19, 18, 17, 19, 3));
  EXPECT_THAT(tokenizer.encode_with_specials("[[SEP]] [SE\u0301P] [sep]"),
              ElementsAre(2, 17, 3, 18, 17, 19, 18, 17, 19, 18, 3));
}

TEST(WordPiece, TakesSpecialTokensForTextInPlainMode) {
  EXPECT_THAT(small().encode_with_specials("dog[SEP]dog [MASK] [sep] [SEP", kNoLimit, SpecialTokens::plain),
              ElementsAre(2, 6, 17, 19, 18, 6, 17, 20, 18, 17, 19, 18, 17, 19, 3));
  EXPECT_THAT(plain("[CLS]"), ElementsAre(17, 1, 18));
}

TEST(WordPiece, FollowsItsSettings) {
  TokenizerSettings cased;
  cased.lower_case = cased.strip_accents = false;
  EXPECT_THAT(small(cased).encode_with_specials("The dogs É é É"), ElementsAre(2, 1, 6, 7, 28, 29, 28, 3));
  TokenizerSettings accents;
  accents.strip_accents = false;
  EXPECT_THAT(small(accents).encode_with_specials("İ É iİ"), ElementsAre(2, 24, 26, 29, 24, 25, 26, 3));
  TokenizerSettings joined;
  joined.split_cjk = false;
  EXPECT_THAT(small(joined).encode_with_specials("东京 东"), ElementsAre(2, 1, 22, 3));
}

TEST(WordPiece, KeepsTheFirstPiecesWhenCut) {
  EXPECT_THAT(plain("the dogs running", 3), ElementsAre(5, 6, 7));
  EXPECT_THAT(plain("the dogs running", 2), ElementsAre(5, 6));
  EXPECT_THAT(plain("the dogs running", 0), IsEmpty());
  EXPECT_THAT(plain("dogzebra", 1), ElementsAre(1));
  EXPECT_THAT(small().encode_with_specials("the dogs the dogs running", 6), ElementsAre(2, 5, 6, 7, 5, 3));
  EXPECT_THAT(small().encode_with_specials("dog [SEP] dog", 4), ElementsAre(2, 6, 3, 3));
}

TEST(WordPiece, AppendsToWhatIsThere) {
  Ids ids = {42};
  EXPECT_EQ(small().encode("dogs a", ids, 2), 2u);
  EXPECT_EQ(small().encode("dogs a", ids, kNoLimit), 3u);
  EXPECT_THAT(ids, ElementsAre(42, 6, 7, 6, 7, 10));
}

TEST(WordPiece, RefusesALengthWithoutRoomForItsSpecialTokens) {
  EXPECT_ERROR(small().encode_with_specials("a", 1), "no room for [CLS] and [SEP]");
  EXPECT_ERROR(small().encode_pair("a", "a", 2), "no room for the 3 special tokens of a pair");
}

TEST(WordPiece, JoinsAPairWithSegments) {
  const EncodedPair pair = small().encode_pair("the dogs", "a dog!");
  EXPECT_THAT(pair.ids, ElementsAre(2, 5, 6, 7, 3, 10, 6, 14, 3));
  EXPECT_THAT(pair.segments, ElementsAre(0, 0, 0, 0, 0, 1, 1, 1, 1));
}

TEST(WordPiece, CutsTheLongerTextOfAPairFirst) {
  const auto cut = [](std::string_view first, std::string_view second, std::size_t length) {
    return small().encode_pair(first, second, length).ids;
  };
  const std::string_view seven = "the dogs the dogs the", five = "a dog running dog";
  EXPECT_THAT(cut(seven, five, 3), ElementsAre(2, 3, 3));
  EXPECT_THAT(cut(seven, five, 4), ElementsAre(2, 5, 3, 3));
  EXPECT_THAT(cut(seven, five, 5), ElementsAre(2, 5, 3, 10, 3));
  EXPECT_THAT(cut(seven, five, 8), ElementsAre(2, 5, 6, 7, 3, 10, 6, 3));
  EXPECT_THAT(cut(seven, five, 12), ElementsAre(2, 5, 6, 7, 5, 6, 3, 10, 6, 8, 9, 3));
  const std::string_view two = "a dog", eight = "the dogs the dogs running";
  EXPECT_THAT(cut(two, eight, 4), ElementsAre(2, 3, 5, 3));
  EXPECT_THAT(cut(two, eight, 9), ElementsAre(2, 10, 6, 3, 5, 6, 7, 5, 3));
  const std::string_view other_five = "the dogs running", more = "the dogs running dog a";
  EXPECT_THAT(cut(other_five, more, 6), ElementsAre(2, 5, 3, 5, 6, 3));
  EXPECT_THAT(cut(other_five, more, 11), ElementsAre(2, 5, 6, 7, 8, 3, 5, 6, 7, 8, 3));
}

TEST(WordPiece, LongestFirstAgreesWithTakingOneAtATime) {
  for (std::size_t first = 0; first < 12; ++first) {
    for (std::size_t second = 0; second < 12; ++second) {
      for (std::size_t room = 0; room < 26; ++room) {
        std::size_t a = first, b = second;
        while (a + b > room) {
          // On a tie the one that was shorter to begin with loses, or the first.
          (a > b || (a == b && first <= second) ? a : b) -= 1;
        }
        EXPECT_EQ(longest_first(first, second, room), std::pair(a, b)) << first << " " << second << " " << room;
      }
    }
  }
}

TEST(WordPiece, OfMpnetHasItsOwnSpecialTokens) {
  const std::vector<std::string> vocabulary = {
      "<s>",    "<pad>", "</s>",   "<unk>", "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "dog", "##s", "run",
      "##ning", "a",     "<mask>", "cat",   "<",     "s",     ">",     "[",     "sep",    "]",   "/",   "mask"};
  // Expected: transformers' MPNetTokenizer with this vocabulary.
  const WordPiece tokenizer(vocabulary, TokenizerSettings::mpnet());
  EXPECT_EQ(tokenizer.pad_id(), 1);
  EXPECT_EQ(tokenizer.unk_id(), 5);
  EXPECT_THAT(tokenizer.encode_with_specials("The dogs running"), ElementsAre(0, 9, 10, 11, 12, 13, 2));
  EXPECT_THAT(tokenizer.encode_with_specials("dog<mask>cat"), ElementsAre(0, 10, 15, 16, 2));
  EXPECT_THAT(tokenizer.encode_with_specials("dog <mask> zebra [SEP] </s> <S> [UNK]"),
              ElementsAre(0, 10, 15, 5, 20, 21, 22, 2, 17, 18, 19, 5, 2));
  EXPECT_THAT(tokenizer.encode_with_specials("<unk> <pad>"), ElementsAre(0, 17, 5, 19, 1, 2));
  const EncodedPair pair = tokenizer.encode_pair("the dogs", "a cat running");
  EXPECT_THAT(pair.ids, ElementsAre(0, 9, 10, 11, 2, 2, 14, 16, 12, 13, 2));
  EXPECT_THAT(pair.segments, ::testing::Each(0));
  EXPECT_THAT(tokenizer.encode_pair("the dogs the dogs the", "a cat running cat", 11).ids,
              ElementsAre(0, 9, 10, 11, 9, 2, 2, 14, 16, 12, 2));
}

TEST(WordPiece, NamesTheSpecialTokenThatIsMissing) {
  EXPECT_ERROR(WordPiece({"[CLS]", "[SEP]"}, {}, "v.txt"), "v.txt: has no line \"[UNK]\", the token for unknown words");
  EXPECT_ERROR(WordPiece({"[UNK]", "[SEP]"}, {}, "v.txt"), "\"[CLS]\", the token that begins a text");
}

TEST(WordPiece, DoesWithoutPaddingAndMask) {
  const WordPiece tokenizer({"[UNK]", "[CLS]", "[SEP]"}, {});
  EXPECT_EQ(tokenizer.pad_id(), -1);
  EXPECT_THAT(tokenizer.encode_with_specials("[PAD][SEP]"), ElementsAre(1, 0, 0, 0, 2, 2));
}

TEST(WordPiece, HasAFingerprintOfAllThatChangesIds) {
  EXPECT_EQ(small().fingerprint(), small().fingerprint());
  TokenizerSettings cased;
  cased.lower_case = false;
  EXPECT_NE(small().fingerprint(), small(cased).fingerprint());
  std::vector<std::string> other = kVocabulary;
  std::swap(other[5], other[6]);
  EXPECT_NE(small().fingerprint(), WordPiece(other, {}).fingerprint());
  EXPECT_NE(WordPiece({"[UNK]", "[CLS]", "[SEP]", "ab", "c"}, {}).fingerprint(),
            WordPiece({"[UNK]", "[CLS]", "[SEP]", "a", "bc"}, {}).fingerprint());
}

TEST(WordPiece, LoadsAFolder) {
  const testing::TempDir folder;
  write_file(folder / "vocab.txt", "[UNK]\n[CLS]\n[SEP]\nDog\n");
  write_file(folder / "tokenizer_config.json", R"({"do_lower_case": false})");
  EXPECT_THAT(WordPiece::load(folder.path()).encode_with_specials("Dog dog"), ElementsAre(1, 3, 0, 2));
}

TEST(WordPiece, SaysWhatAFolderLacks) {
  const testing::TempDir folder;
  EXPECT_ERROR(WordPiece::load(folder / "nowhere"), "nowhere is not a folder");
  EXPECT_ERROR(WordPiece::load(folder.path()), "vocab.txt is not there");
  write_file(folder / "vocab.txt", "[CLS]\n[SEP]\n");
  EXPECT_ERROR(WordPiece::load(folder.path()), "vocab.txt: has no line \"[UNK]\"");
}

TEST(WordPiece, ReadsMiniLm) {
  HASA_NEEDS_FOLDER(folder, "HASA_MINILM");
  const WordPiece tokenizer = WordPiece::load(folder);
  EXPECT_EQ(tokenizer.vocab_size(), 30522u);
  EXPECT_THAT(std::vector({tokenizer.pad_id(), tokenizer.unk_id(), tokenizer.cls_id(), tokenizer.sep_id()}),
              ElementsAre(0, 100, 101, 102));
  EXPECT_THAT(tokenizer.encode_with_specials("Hello, world! Unaffable élèves in 東京."),
              ElementsAre(101, 7592, 1010, 2088, 999, 14477, 20961, 3468, 3449, 23047, 1999, 1879, 1755, 1012, 102));
}

}  // namespace
}  // namespace hasa
