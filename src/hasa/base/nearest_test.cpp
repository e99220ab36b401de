#include "hasa/base/nearest.h"

#include "hasa/base/testing.h"

namespace hasa {
namespace {

using ::testing::ElementsAre;

TEST(EditDistance, CountsInsertionsDeletionsChangesAndSwaps) {
  EXPECT_EQ(edit_distance("kitten", "sitting", 9), 3U);
  EXPECT_EQ(edit_distance("flaw", "lawn", 9), 2U);
  EXPECT_EQ(edit_distance("beat", "beta", 9), 1U);
  EXPECT_EQ(edit_distance("abcdef", "badcfe", 9), 3U);
  EXPECT_EQ(edit_distance("", "abc", 9), 3U);
  EXPECT_EQ(edit_distance("same", "same", 9), 0U);
}

TEST(EditDistance, IsSymmetricAndIgnoresCase) {
  EXPECT_EQ(edit_distance("sitting", "kitten", 9), edit_distance("kitten", "sitting", 9));
  EXPECT_EQ(edit_distance("HASA", "hasa", 9), 0U);
}

TEST(EditDistance, StopsCountingPastTheLimit) {
  EXPECT_EQ(edit_distance("kitten", "sitting", 3), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting", 2), 3U);
  EXPECT_EQ(edit_distance("aaaaaaaa", "bbbbbbbb", 2), 3U);
  EXPECT_EQ(edit_distance("a", "abcdefgh", 0), 1U);
}

TEST(NearestNames, PutsTheNearestFirstAndLeavesOutTheFar) {
  const std::vector<std::string> names{"margin", "loss.beta", "loss.better", "loss.bet", "weights"};
  EXPECT_THAT(nearest_names("loss.beat", names, 9), ElementsAre("loss.beta", "loss.bet", "loss.better"));
  EXPECT_THAT(nearest_names("loss.beat", names, 1), ElementsAre("loss.beta"));
  EXPECT_THAT(nearest_names("entirely else", names, 9), ElementsAre());
}

TEST(NearestNames, PutsNamesThatBeginSoAfterMisspeltOnes) {
  const std::vector<std::string> names{"Canine tooth of a dog", "Canini"};
  EXPECT_THAT(nearest_names("canine", names, 9), ElementsAre("Canini", "Canine tooth of a dog"));
}

TEST(NearestNames, DoesNotTakeTheBeginningOfOneOrTwoLettersForAName) {
  const std::vector<std::string> names{"canine tooth"};
  EXPECT_THAT(nearest_names("ca", names, 9), ElementsAre());
}

TEST(NearestNames, GivesANameThatSeveralThingsBearOnce) {
  const std::vector<std::string> names{"Dog", "Dog", "Dogs"};
  EXPECT_THAT(nearest_names("Dgo", names, 2), ElementsAre("Dog"));
}

TEST(DidYouMean, PutsTheNamesIntoASentence) {
  const std::vector<std::string> names{"beta1", "beta2", "beta3"};
  EXPECT_EQ(did_you_mean("beta", names), "; did you mean beta1?");
  EXPECT_EQ(did_you_mean("beta", names, 2), "; did you mean beta1 or beta2?");
  EXPECT_EQ(did_you_mean("beta", names, 3), "; did you mean beta1, beta2 or beta3?");
  EXPECT_EQ(did_you_mean("nothing like it", names, 3), "");
}

}  // namespace
}  // namespace hasa
