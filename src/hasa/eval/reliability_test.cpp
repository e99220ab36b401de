#include "hasa/eval/reliability.h"

#include "hasa/base/testing.h"

namespace hasa {
namespace {

TEST(Reliability, WorksOutTheErrorAndBrierScoreOfTwoBinsByHand) {
  const std::vector<double> stated = {0.9, 0.1, 0.2, 0.7};
  const std::vector<std::uint8_t> truth = {1, 0, 1, 1};
  const Reliability r = reliability_of(stated, truth, 2);
  ASSERT_EQ(r.bins.size(), 2U);
  // Bins {.1, .2} with one of two true, and {.7, .9} with both: |.15 - .5| / 2 + |.8 - 1| / 2.
  EXPECT_NEAR(r.bins[0].stated, 0.15, 1e-12);
  EXPECT_NEAR(r.bins[0].came_true, 0.5, 1e-12);
  EXPECT_NEAR(r.bins[1].greatest, 0.9, 1e-12);
  EXPECT_NEAR(r.calibration_error, 0.275, 1e-12);
  EXPECT_NEAR(r.brier, (0.01 + 0.01 + 0.64 + 0.09) / 4, 1e-12);
  EXPECT_NEAR(r.base_rate, 0.75, 1e-12);
  EXPECT_NEAR(r.brier_of_base_rate, 0.1875, 1e-12);
}

TEST(Reliability, HasBinsOfEqualMass) {
  std::vector<double> stated;
  for (int i = 0; i < 1000; ++i) stated.push_back(i * i / 1e6);
  const Reliability r = reliability_of(stated, std::vector<std::uint8_t>(stated.size()));
  ASSERT_EQ(r.bins.size(), 15U);
  for (const Reliability::Bin& bin : r.bins) EXPECT_NEAR(static_cast<double>(bin.answers), 1000.0 / 15, 1);
}

TEST(Reliability, AlwaysPredictingTheBaseRateIsCalibratedAndNoBetter) {
  const std::vector<double> stated(100, 0.3);
  std::vector<std::uint8_t> truth(100, 0);
  for (std::size_t i = 0; i < 30; ++i) truth[i * 3] = 1;
  const Reliability r = reliability_of(stated, truth, 1);
  EXPECT_NEAR(r.calibration_error, 0, 1e-12);
  EXPECT_NEAR(r.brier, r.brier_of_base_rate, 1e-12);
}

TEST(Reliability, OfNothingIsNothing) {
  EXPECT_EQ(reliability_of({}, {}).bins.size(), 0U);
  const std::vector<double> one = {0.5};
  EXPECT_EQ(reliability_of(one, std::vector<std::uint8_t>{1}).bins.size(), 1U);
  EXPECT_ERROR(reliability_of(one, {}), "1 probabilities of 0 answers");
}

}  // namespace
}  // namespace hasa
