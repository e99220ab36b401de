#include "hasa/eval/chance.h"

#include "hasa/base/testing.h"

namespace hasa {
namespace {

TEST(Chance, IsTheMeanOverAllPlacesOfTheAnswer) {
  const Metrics four = chance_metrics(4, 10);
  EXPECT_DOUBLE_EQ(four.mrr, (1 + 1.0 / 2 + 1.0 / 3 + 1.0 / 4) / 4);
  EXPECT_DOUBLE_EQ(four.mean_rank, 2.5);
  EXPECT_DOUBLE_EQ(four.hits_at_1, 0.25);
  EXPECT_DOUBLE_EQ(four.hits_at_3, 0.75);
  EXPECT_DOUBLE_EQ(four.hits_at_10, 1);
  EXPECT_EQ(four.queries, 10);
}

TEST(Chance, OfNothingIsNothing) { EXPECT_DOUBLE_EQ(chance_metrics(0, 0).mrr, 0); }

}  // namespace
}  // namespace hasa
