#include "hasa/serve/nearest_facts.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hasa/kg/read_triples.h"

namespace hasa {
namespace {

// a=0 b=1 c=2 d=3 e=4 by first mention.
Graph graph() {
  return parse_triples({"t.tsv", "a\tr\tb\nc\tr\td\nc\tr\td\nb\tr\ta\na\ts\td\nc\tr\te\n"}, std::nullopt, {},
                       std::nullopt);
}

const EndCosines kLike{torch::tensor({1.F, .2F, .8F, 0.F, 0.F}), torch::tensor({.1F, 1.F, 0.F, .6F, .9F})};

TEST(NearestFacts, AreTheMostAlikeAtBothEndsEachOnce) {
  const auto found = nearest_facts(graph(), {0, 0, 1}, kLike, 5);
  ASSERT_EQ(found.size(),
            2);  // c r e and c r d: not the triple asked about, nor its ends exchanged, nor another relation
  EXPECT_EQ(found[0].triple, (Triple{2, 0, 4}));
  EXPECT_NEAR(found[0].similarity, .85, 1e-6);
  EXPECT_EQ(found[1].triple, (Triple{2, 0, 3}));
  EXPECT_NEAR(found[1].similarity, .7, 1e-6);
}

TEST(NearestFacts, AreNoMoreThanWanted) {
  EXPECT_EQ(nearest_facts(graph(), {-1, 0, 1}, kLike, 1).size(), 1);
  EXPECT_TRUE(nearest_facts(graph(), {0, 0, 1}, kLike, 0).empty());
}

TEST(NearestFacts, MeasureAnglesAndNotLengths) {
  const torch::Tensor entities = torch::tensor({{3.F, 0.F}, {0.F, .5F}, {2.F, 2.F}, {0.F, 0.F}});
  const EndCosines like =
      end_cosines(entities, entities.norm(2, {1}), torch::tensor({10.F, 0.F}), torch::tensor({0.F, 1.F}));
  EXPECT_TRUE(like.heads.allclose(torch::tensor({1.F, 0.F, std::sqrt(.5F), 0.F})));
  EXPECT_TRUE(like.tails.allclose(torch::tensor({0.F, 1.F, std::sqrt(.5F), 0.F})));
}

}  // namespace
}  // namespace hasa
