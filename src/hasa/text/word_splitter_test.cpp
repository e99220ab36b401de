#include "hasa/text/word_splitter.h"

#include <string>
#include <vector>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> words(std::string_view text, const TokenizerSettings& settings = {}) {
  const WordRules rules(settings);
  std::vector<std::string> found;
  for (WordSplitter splitter(rules, text); splitter.next();) found.emplace_back(splitter.word());
  return found;
}

std::string times(std::string_view part, std::size_t count) {
  std::string text;
  while (count-- > 0) text += part;
  return text;
}

TEST(WordSplitter, LowersAndSplitsAtBlanksAndPunctuation) {
  EXPECT_THAT(words("Don't  stop!\t(ever)"), ElementsAre("don", "'", "t", "stop", "!", "(", "ever", ")"));
}

TEST(WordSplitter, FindsNoWordsInNothing) {
  EXPECT_THAT(words(""), IsEmpty());
  EXPECT_THAT(words(" \t\r\n "), IsEmpty());
  EXPECT_THAT(words("\u200B\uFFFD\u0301\u00A0"), IsEmpty());
}

TEST(WordSplitter, StripsAccentsComposedOrNot) {
  EXPECT_THAT(words("Crème cre\u0300me BRÛLÉE"), ElementsAre("creme", "creme", "brulee"));
}

TEST(WordSplitter, KeepsCaseAndAccentsWhenTold) {
  TokenizerSettings cased;
  cased.lower_case = cased.strip_accents = false;
  EXPECT_THAT(words("Crème É", cased), ElementsAre("Crème", "É"));
  TokenizerSettings accents;
  accents.strip_accents = false;
  EXPECT_THAT(words("CRÈME İ", accents), ElementsAre("crème", "i\u0307"));
}

TEST(WordSplitter, JoinsWhatControlCharactersSeparate) {
  EXPECT_THAT(words(std::string_view("a\0b\x0B"
                                     "c\u200Bd e\u0085"
                                     "f",
                                     14)),
              ElementsAre("abcd", "ef"));
}

TEST(WordSplitter, MakesEachChineseCharacterAWord) {
  EXPECT_THAT(words("go东京go"), ElementsAre("go", "东", "京", "go"));
  TokenizerSettings joined;
  joined.split_cjk = false;
  EXPECT_THAT(words("go东京go", joined), ElementsAre("go东京go"));
}

TEST(WordSplitter, IsolatesPunctuationBeyondAscii) {
  EXPECT_THAT(words("a。b«c"), ElementsAre("a", "。", "b", "«", "c"));
}

TEST(WordSplitter, PutsCombiningCharactersThatStayInCanonicalOrder) {
  // U+1D165 has class 216, U+302E 224: both take space, so neither is stripped.
  EXPECT_THAT(words("x\u302E\U0001D165y"), ElementsAre("x\U0001D165\u302Ey"));
  // Removed characters between them change nothing, not even ASCII ones.
  EXPECT_THAT(words("x\u302E\u200B\x01\U0001D165"), ElementsAre("x\U0001D165\u302E"));
  // A letter between them does.
  EXPECT_THAT(words("x\u302Ey\U0001D165"), ElementsAre("x\u302Ey\U0001D165"));
}

TEST(WordSplitter, DecomposesHangul) { EXPECT_THAT(words("각"), ElementsAre("\u1100\u1161\u11A8")); }

TEST(WordSplitter, ReadsInvalidBytesAsNothing) {
  EXPECT_THAT(words("a\xFF"
                    "b \xE2\x82 c\xED\xA0\x80"
                    "d"),
              ElementsAre("ab", "cd"));
}

TEST(WordSplitter, SaysWhenAWordIsLongerThanAHundredCharacters) {
  const WordRules rules{TokenizerSettings{}};
  for (const std::string letter : {"a", "я", "東", "\U00010428"}) {
    TokenizerSettings joined;
    joined.split_cjk = false;
    const WordRules together(joined);
    const std::string hundred = times(letter, 100), more = times(letter, 300);
    WordSplitter splitter(together, hundred);
    ASSERT_TRUE(splitter.next());
    EXPECT_FALSE(splitter.too_long());
    EXPECT_EQ(splitter.word(), hundred);
    WordSplitter longer(together, more);
    ASSERT_TRUE(longer.next());
    EXPECT_TRUE(longer.too_long());
    EXPECT_FALSE(longer.next());
  }
}

TEST(WordSplitter, CountsCharactersAfterNormalising) {
  const WordRules rules{TokenizerSettings{}};
  const std::string accented = times("e\u0301", 100), hangul = times("각", 34);  // 102 letters
  WordSplitter short_enough(rules, accented);
  ASSERT_TRUE(short_enough.next());
  EXPECT_FALSE(short_enough.too_long());
  WordSplitter too_long(rules, hangul);
  ASSERT_TRUE(too_long.next());
  EXPECT_TRUE(too_long.too_long());
}

TEST(WordSplitter, GoesOnAcrossLongStretchesBeyondAscii) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "яблоко\u3000";
  EXPECT_THAT(words(text), ::testing::AllOf(::testing::SizeIs(1000), ::testing::Each("яблоко")));
}

}  // namespace
}  // namespace hasa
