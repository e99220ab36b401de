#include "hasa/text/piece_trie.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "hasa/base/rng.h"
#include "hasa/base/testing.h"

namespace hasa {
namespace {

TEST(PieceTrie, FindsTheLongestPiece) {
  const PieceTrie trie(std::vector<std::string>{"a", "ab", "abcd", "##b", "##bc"});
  EXPECT_EQ(trie.longest_at_start("abc").id, 1);
  EXPECT_EQ(trie.longest_at_start("abc").length, 2u);
  EXPECT_EQ(trie.longest_at_start("abcde").id, 2);
  EXPECT_EQ(trie.longest_inside("bcd").id, 4);
  EXPECT_EQ(trie.longest_inside("bcd").length, 2u);
}

TEST(PieceTrie, KeepsBeginningsAndInsidesApart) {
  const PieceTrie trie(std::vector<std::string>{"a", "##b"});
  EXPECT_EQ(trie.longest_at_start("b").id, -1);
  EXPECT_EQ(trie.longest_inside("a").id, -1);
  EXPECT_EQ(trie.longest_at_start("").id, -1);
}

TEST(PieceTrie, OfNoPiecesFindsNone) {
  const PieceTrie trie(std::vector<std::string>{});
  EXPECT_EQ(trie.longest_at_start(std::string("\0\1\xFF", 3)).id, -1);
  EXPECT_EQ(trie.longest_inside("a").id, -1);
}

TEST(PieceTrie, TakesTheTwoSignsAloneAsAWord) {
  const PieceTrie trie(std::vector<std::string>{"##", "#"});
  EXPECT_EQ(trie.longest_at_start("##").id, 0);
  EXPECT_EQ(trie.longest_inside("#").id, -1);
}

TEST(PieceTrie, LeavesOutPiecesLongerThanAnyWord) {
  const PieceTrie trie(std::vector<std::string>{std::string(100'000, 'a'), "a"});
  EXPECT_EQ(trie.longest_at_start(std::string(400, 'a')).id, 1);
}

TEST(PieceTrie, AgreesWithAMapOnRandomVocabularies) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Rng rng(seed);
    // Small alphabets share prefixes, large ones fill the array.
    const std::uint64_t letters = seed % 2 == 0 ? 3 : 256;
    const auto draw = [&](std::size_t longest) {
      std::string text(1 + rng.below(longest), '\0');
      for (char& c : text) c = static_cast<char>(rng.below(letters));
      std::replace(text.begin(), text.end(), '#', '$');  // no word begins with "##"
      return text;
    };
    std::map<std::string, std::int32_t> ids;
    std::vector<std::string> vocabulary;
    for (int i = 0; i < 2000; ++i) {
      std::string piece = (rng.below(2) != 0 ? "##" : "") + draw(5);
      if (ids.emplace(piece, static_cast<std::int32_t>(vocabulary.size())).second) vocabulary.push_back(piece);
    }
    const PieceTrie trie(vocabulary);
    for (int i = 0; i < 2000; ++i) {
      const std::string word = draw(8);
      for (const std::string prefix : {"", "##"}) {
        PieceTrie::Match expected;
        for (std::size_t n = 1; n <= word.size(); ++n) {
          const auto found = ids.find(prefix + word.substr(0, n));
          if (found != ids.end()) expected = {found->second, n};
        }
        const auto match = prefix.empty() ? trie.longest_at_start(word) : trie.longest_inside(word);
        ASSERT_EQ(match.id, expected.id);
        ASSERT_EQ(match.length, expected.length);
      }
    }
  }
}

}  // namespace
}  // namespace hasa
