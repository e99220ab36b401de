#include "hasa/study/seed_mean.h"

#include <vector>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

TEST(SeedMean, HasStudentsInterval) {
  // The t distribution with 2 degrees of freedom has its .975 quantile at 4.302653; the rest is by hand.
  const SeedMean mean = seed_mean(std::vector<double>{0.3, 0.32, 0.37});
  EXPECT_NEAR(mean.mean, 0.33, 1e-12);
  EXPECT_NEAR(mean.deviation, 0.0360555, 1e-6);
  EXPECT_NEAR(mean.interval.low, 0.2404331, 2e-5);
  EXPECT_NEAR(mean.interval.high, 0.4195669, 2e-5);
  EXPECT_EQ(format_share(mean), ".330 ± .090");
}

TEST(SeedMean, OfOneSeedHasNoInterval) {
  const SeedMean mean = seed_mean(std::vector<double>{0.25});
  EXPECT_FALSE(mean.has_interval());
  EXPECT_EQ(format_share(mean), ".250");
}

}  // namespace
}  // namespace hasa
