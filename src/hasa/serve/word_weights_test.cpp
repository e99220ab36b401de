#include "hasa/serve/word_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace hasa {
namespace {

/// Words have values, and a text's score is their sum.
class WordWeights : public ::testing::Test {
 protected:
  std::vector<WordWeight> weights(const UnseenEntity& text, std::size_t most = 32) {
    return word_weights(text, most, [this](std::span<const UnseenEntity> texts) {
      ++calls;
      std::vector<float> scores;
      for (const UnseenEntity& each : texts) scores.push_back(value_of(each.name + " " + each.description));
      return torch::tensor(scores);
    });
  }
  float value_of(const std::string& text) const {
    float sum = 0;
    for (const auto& [word, value] : values) {
      if ((" " + text + " ").find(" " + word + " ") != std::string::npos) sum += value;
    }
    return sum;
  }

  std::map<std::string, float> values = {{"fox", 4}, {"wild", 2}, {"desk", -1}};
  int calls = 0;
};

TEST_F(WordWeights, AreWhatTheScoreLosesWithoutEachWord) {
  const auto found = weights({.name = "red fox", .description = "a wild  desk", .facts = {}});
  ASSERT_EQ(found.size(), 5);
  const std::vector<std::pair<std::string, double>> expected = {
      {"red", 0}, {"fox", 4}, {"a", 0}, {"wild", 2}, {"desk", -1}};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(found[i].word, expected[i].first);
    EXPECT_DOUBLE_EQ(found[i].weight, expected[i].second) << found[i].word;
  }
  EXPECT_EQ(calls, 1);
}

TEST_F(WordWeights, AreOfTheFirstWordsOfALongText) {
  EXPECT_EQ(weights({.name = "red fox", .description = "a wild desk", .facts = {}}, 3).size(), 3);
}

TEST_F(WordWeights, AreNoneWhereNothingWouldBeLeft) {
  EXPECT_TRUE(weights({.name = "fox", .description = "", .facts = {}}).empty());
  EXPECT_TRUE(weights({.name = " ", .description = "", .facts = {}}).empty());
  EXPECT_EQ(calls, 0);
}

}  // namespace
}  // namespace hasa
