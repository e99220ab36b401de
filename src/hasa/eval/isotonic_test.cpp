#include "hasa/eval/isotonic.h"

#include <limits>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

TEST(Isotonic, PoolsNeighboursThatFallIntoTheirMean) {
  const std::vector<double> x = {4, 1, 2, 3, 5}, y = {2, 1, 4, 3, 6};  // by x: 1 4 3 2 6, so 4 3 2 become 3
  const Isotonic rising = Isotonic::fit(x, y);
  EXPECT_DOUBLE_EQ(rising(1), 1);
  for (const double inside : {2.0, 2.7, 4.0}) EXPECT_DOUBLE_EQ(rising(inside), 3);
  EXPECT_DOUBLE_EQ(rising(5), 6);
}

TEST(Isotonic, IsLinearBetweenStepsAndConstantBeyondThem) {
  const std::vector<double> x = {0, 10}, y = {0.25, 0.75};
  const Isotonic rising = Isotonic::fit(x, y);
  EXPECT_DOUBLE_EQ(rising(5), 0.5);
  EXPECT_DOUBLE_EQ(rising(-1e300), 0.25);
  EXPECT_DOUBLE_EQ(rising(std::numeric_limits<double>::infinity()), 0.75);
}

TEST(Isotonic, CountsPointsOfOneXAsTheirMean) {
  const std::vector<double> x = {1, 1, 1, 2}, y = {0, 1, 0, 1};
  EXPECT_DOUBLE_EQ(Isotonic::fit(x, y)(1), 1.0 / 3);
  const std::vector<double> same(5, 7.0), truth = {0, 1, 0, 0, 1};
  EXPECT_DOUBLE_EQ(Isotonic::fit(same, truth)(0), 0.4);
}

TEST(Isotonic, KeepsTheMeanOfWhatItWasFittedTo) {
  std::vector<double> x, y;
  double sum = 0, fitted = 0;
  std::uint32_t random = 3;
  for (int i = 0; i < 1000; ++i) {
    random = random * 1664525U + 1013904223U;
    x.push_back(i);
    y.push_back((random >> 16) % 1000 < static_cast<std::uint32_t>(i) ? 1 : 0);
    sum += y.back();
  }
  const Isotonic rising = Isotonic::fit(x, y);
  for (const double each : x) fitted += rising(each);
  EXPECT_NEAR(fitted, sum, 1e-9);
}

TEST(Isotonic, RefusesKnotsThatDoNotRise) {
  EXPECT_ERROR(Isotonic({}), "do not rise");
  EXPECT_ERROR(Isotonic({{1, 0}, {1, 1}}), "do not rise");
  EXPECT_ERROR(Isotonic({{1, 1}, {2, 0}}), "do not rise");
  EXPECT_ERROR(Isotonic({{1, std::numeric_limits<double>::quiet_NaN()}}), "do not rise");
}

}  // namespace
}  // namespace hasa
