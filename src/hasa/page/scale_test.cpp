#include "hasa/page/scale.h"

#include <cmath>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;

ChartScale scale(const ChartAxis& axis, const std::vector<double>& values) { return ChartScale(axis, values); }

TEST(ChartScale, EndsAtRoundTicksAroundItsValues) {
  const ChartScale made = scale({"x"}, {0.13, 0.92});
  EXPECT_THAT(made.ticks(), Pointwise(DoubleNear(1e-12), {0.0, 0.2, 0.4, 0.6, 0.8, 1.0}));
  EXPECT_NEAR(made.at(0.5), 0.5, 1e-12);
}

TEST(ChartScale, WritesWholeNumbersAloneWhereItCountsThings) {
  EXPECT_THAT(scale({.label = "epoch"}, {1, 3}).ticks(), Pointwise(DoubleNear(1e-12), {1.0, 1.5, 2.0, 2.5, 3.0}));
  const ChartAxis epochs{.label = "epoch", .whole = true};
  EXPECT_THAT(scale(epochs, {1, 3}).ticks(), Pointwise(DoubleNear(1e-12), {1.0, 2.0, 3.0}));
  EXPECT_THAT(scale(epochs, {1, 2}).ticks(), Pointwise(DoubleNear(1e-12), {1.0, 2.0}));
  EXPECT_THAT(scale(epochs, {1, 20}).ticks(), Pointwise(DoubleNear(1e-12), {0.0, 5.0, 10.0, 15.0, 20.0}));
}

TEST(ChartScale, BeginsAndEndsWhereItIsTold) {
  const ChartScale made = scale({.label = "x", .low = 0, .high = 3}, {1, 2});
  EXPECT_DOUBLE_EQ(made.at(1.5), 0.5);
  EXPECT_DOUBLE_EQ(made.at(4), 1);
}

TEST(ChartScale, HasATickForEachPowerOfTenWhereItIsLogarithmic) {
  const ChartScale made = scale({.label = "x", .logarithmic = true}, {3, 4000});
  EXPECT_THAT(made.ticks(), Pointwise(DoubleNear(1e-9), {1.0, 10.0, 100.0, 1000.0, 10000.0}));
  EXPECT_NEAR(made.at(100), 0.5, 1e-12);
  EXPECT_FALSE(made.shows(0));
}

TEST(ChartScale, StandsWithOneValueNoneOrSomeThatAreNotFinite) {
  for (const bool logarithmic : {false, true}) {
    for (const std::vector<double>& values : {std::vector<double>{}, {7}, {0}, {-3}, {NAN, INFINITY, 2}}) {
      const ChartScale made = scale({.label = "x", .logarithmic = logarithmic}, values);
      EXPECT_FALSE(made.ticks().empty());
      EXPECT_TRUE(std::isfinite(made.at(7))) << made.at(7);
    }
  }
}

}  // namespace
}  // namespace hasa
