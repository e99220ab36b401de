#include "hasa/eval/calibration.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

using Form = ScoreEvidence::Form;

double chance(double z) { return 1 / (1 + std::exp(-z)); }

/// Queries of ten candidates whose true odds are known: an answer is true with the chance of `slope` times how far its
/// score lies above its query's level, less `offset`.
struct World {
  double slope = 2, offset = 3, level_spread = 0;
  int relations = 1;
  double relation_shift = 0;  // of every other relation

  double truth(float score, double level, RelationId relation) const {
    return chance(slope * (score - level) - offset + (relation % 2 != 0 ? relation_shift : 0));
  }
  std::vector<TopAnswers> draw(std::size_t queries, std::uint32_t seed, std::vector<double>* odds = nullptr) const {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    std::vector<TopAnswers> drawn(queries);
    for (std::size_t q = 0; q < queries; ++q) {
      TopAnswers& query = drawn[q];
      query.query = {static_cast<EntityId>(q), static_cast<RelationId>(q % static_cast<std::size_t>(relations))};
      const double level = level_spread * normal(random);
      for (int k = 0; k < 10; ++k) query.scores.push_back(static_cast<float>(level + normal(random)));
      std::sort(query.scores.rbegin(), query.scores.rend());
      for (const float score : query.scores) {
        const double p = truth(score, level, query.query.relation);
        query.is_true.push_back(uniform(random) < p ? 1 : 0);
        if (odds != nullptr) odds->push_back(p);
      }
    }
    return drawn;
  }
};

TEST(Calibration, IsReliableIfTheScoreAloneDecides) {
  const World world;
  const auto calibration = Calibration::fit(world.draw(4000, 1));
  ASSERT_TRUE(calibration);
  EXPECT_TRUE(calibration->is_isotonic());
  std::vector<double> odds;
  const auto test = world.draw(4000, 2, &odds);
  const Reliability measured = reliability_of(*calibration, test);
  EXPECT_LT(measured.calibration_error, 0.01);
  EXPECT_LT(measured.brier, measured.brier_of_base_rate);
  double off = 0;
  std::size_t at = 0;
  for (const TopAnswers& query : test) {
    for (const float score : query.scores)
      off += std::abs(calibration->probability(score, {query.query.relation, query.scores}) - odds[at++]);
  }
  EXPECT_LT(off / static_cast<double>(at), 0.02);
}

TEST(Calibration, UsesTheContextOfAScoreIfLevelsDifferBetweenQueries) {
  const World world{.slope = 3, .level_spread = 20, .relations = 4, .relation_shift = 2};
  const auto calibration = Calibration::fit(world.draw(4000, 3));
  ASSERT_TRUE(calibration);
  EXPECT_EQ(calibration->form(), Form::standing);
  const Reliability measured = reliability_of(*calibration, world.draw(4000, 4));
  EXPECT_LT(measured.calibration_error, 0.02);
  EXPECT_LT(measured.brier, 0.9 * measured.brier_of_base_rate);
}

TEST(Calibration, IsMonotoneWithinAQuery) {
  for (const std::size_t queries : {30U, 2000U}) {
    const World world{.level_spread = 5, .relations = 3};
    const auto calibration = Calibration::fit(world.draw(queries, 5));
    ASSERT_TRUE(calibration);
    for (const TopAnswers& query : world.draw(200, 6)) {
      double before = 1;
      for (float score = query.scores.front() + 3; score > query.scores.back() - 30; score -= 0.37F) {
        const double p = calibration->probability(score, {query.query.relation, query.scores});
        EXPECT_LE(p, before);
        EXPECT_GT(p, 0);
        before = p;
      }
    }
  }
}

TEST(Calibration, OfUninformativeScoresIsTheBaseRate) {
  World world;
  world.slope = 0;
  world.offset = std::log(4);  // 1 in 5
  const auto calibration = Calibration::fit(world.draw(3000, 7));
  ASSERT_TRUE(calibration);
  double sum = 0;
  for (const TopAnswers& query : world.draw(50, 8)) {
    for (const float score : query.scores) sum += calibration->probability(score, {0, query.scores});
  }
  EXPECT_NEAR(sum / 500, 0.2, 0.02);
}

TEST(Calibration, IsASmoothCurveForFewAnswers) {
  const World world;
  const auto calibration = Calibration::fit(world.draw(100, 9));
  ASSERT_TRUE(calibration);
  EXPECT_FALSE(calibration->is_isotonic());
  EXPECT_THAT(calibration->words(), ::testing::StartsWith("logistic regression"));
  EXPECT_LT(reliability_of(*calibration, world.draw(3000, 10)).calibration_error, 0.05);
}

TEST(Calibration, IsNoneForTooFewTrueAnswers) {
  EXPECT_FALSE(Calibration::fit({}));
  std::vector<TopAnswers> queries(50);
  for (std::size_t q = 0; q < queries.size(); ++q) {
    queries[q].scores = {2, 1};
    queries[q].is_true = {static_cast<std::uint8_t>(q < 9 ? 1 : 0), 0};
  }
  EXPECT_FALSE(Calibration::fit(queries));
}

TEST(Calibration, AcceptsInfiniteAndNaNScores) {
  auto queries = World{}.draw(500, 11);
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (std::size_t q = 0; q < queries.size(); q += 3) {
    queries[q].scores.front() = kInfinity;
    queries[q].scores.back() = -kInfinity;
  }
  const auto calibration = Calibration::fit(queries);
  ASSERT_TRUE(calibration);
  for (const float score : {kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN(), 3e38F, 0.0F}) {
    const double p = calibration->probability(score, {0, queries[1].scores});
    EXPECT_TRUE(p > 0 && p < 1) << score;
    EXPECT_TRUE(std::isfinite(calibration->probability(score, {99, {}})));
  }
}

TEST(Calibration, RoundTripsThroughJson) {
  for (const std::size_t queries : {100U, 1000U}) {
    const World world{.level_spread = 5, .relations = 3};
    const auto calibration = Calibration::fit(world.draw(queries, 12));
    ASSERT_TRUE(calibration);
    const Calibration back = Calibration::from_json(calibration->to_json());
    EXPECT_EQ(back.to_json(), calibration->to_json());
    const std::vector<float> best = {3, 2, 1};
    for (float score = -3; score < 4; score += 0.1F)
      EXPECT_EQ(back.probability(score, {1, best}), calibration->probability(score, {1, best}));
  }
  EXPECT_ERROR(Calibration::from_json("{}"), "not a calibration");
  EXPECT_ERROR(Calibration::from_json("[1"), "not a calibration");
}

}  // namespace
}  // namespace hasa
