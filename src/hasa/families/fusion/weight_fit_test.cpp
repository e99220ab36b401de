#include "hasa/families/fusion/weight_fit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hasa/base/rng.h"
#include "hasa/base/thread_pool.h"

namespace hasa {
namespace {

/// Queries of three relations with 6 candidates and 3 features: the first knows the answer, but for relation 2, where
/// the second does; the third is noise.
FitTable made_up_table(std::size_t queries = 600) {
  FitTable table(3);
  Rng rng(5);
  for (std::size_t q = 0; q < queries; ++q) {
    const auto relation = static_cast<RelationId>(q % 3);
    table.add_query(relation, static_cast<std::int32_t>(q % 5));
    for (int c = 0; c < 6; ++c) {
      std::array<float, 3> x{};
      for (float& value : x) value = static_cast<float>(2 * rng.uniform() - 1);
      if (c == 0) x[relation == 2 ? 1 : 0] += 0.7F;
      table.add_candidate(x, c < 3 ? 0.F : 1.F);
    }
  }
  return table;
}

TEST(WeightFit, HasTheGradientOfItsValueByFiniteDifferences) {
  const FitTable table = made_up_table(60);
  FusionWeights at{3, {0.5, -0.2, 0.1}, {0.1, 0.2, -0.3, 0, 0.4, 0.1, -0.2, 0.3, 0}};
  const WeightFit fit{.shrinkage = 2};
  const FitValue exact = fit_value(table, at, fit);
  for (std::size_t i = 0; i < exact.gradient.size(); ++i) {
    constexpr double kStep = 1e-5;
    double& weight = i < 3 ? at.global[i] : at.offsets[i - 3];
    const double before = weight;
    weight = before + kStep;
    const double above = fit_value(table, at, fit).value;
    weight = before - kStep;
    const double below = fit_value(table, at, fit).value;
    weight = before;
    EXPECT_NEAR(exact.gradient[i], (above - below) / (2 * kStep), 1e-5) << i;
  }
}

TEST(WeightFit, EndsWhereTheGradientIsZero) {
  const FitTable table = made_up_table();
  for (const bool by_relation : {true, false}) {
    const WeightFit fit{.shrinkage = 1, .by_relation = by_relation};
    const FitValue end = fit_value(table, fit_weights(table, 3, fit), fit);
    for (std::size_t i = 0; i < (by_relation ? 12 : 3); ++i) EXPECT_NEAR(end.gradient[i], 0, 0.05) << i;
  }
}

TEST(WeightFit, GivesEachRelationTheFeatureThatKnowsItsAnswers) {
  const FusionWeights weights = fit_weights(made_up_table(), 3, {.shrinkage = 0.1});
  EXPECT_GT(weights.of(0, 0), 1);
  EXPECT_NEAR(weights.of(0, 1), 0, 0.6);
  EXPECT_GT(weights.of(2, 1), 1);
  EXPECT_NEAR(weights.of(2, 0), 0, 0.6);
}

TEST(WeightFit, HoldsRelationsToTheGlobalWeightsWhereShrinkageIsStrong) {
  const FusionWeights weights = fit_weights(made_up_table(), 3, {.shrinkage = 1e6});
  for (std::size_t f = 0; f < 3; ++f) EXPECT_NEAR(weights.of(2, f), weights.of(0, f), 1e-2);
}

TEST(WeightFit, GivesARelationWithoutQueriesTheGlobalWeights) {
  const FusionWeights weights = fit_weights(made_up_table(), 4, {.shrinkage = 1});
  for (std::size_t f = 0; f < 3; ++f) EXPECT_EQ(weights.of(3, f), weights.global[f]);
}

TEST(WeightFit, CountsARivalForAsManyAsItStandsFor) {
  // Two rivals like one, or one that stands for two: log 2.
  const std::array<float, 1> answer{0.3F}, rival{-0.4F};
  FitTable twice(1), once(1);
  for (FitTable* table : {&twice, &once}) {
    table->add_query(0, 0);
    table->add_candidate(answer, 0);
  }
  for (int i = 0; i < 2; ++i) twice.add_candidate(rival, 0);
  once.add_candidate(rival, std::log(2.F));
  const FusionWeights at{1, {0.7}, {0}};
  EXPECT_NEAR(fit_value(twice, at, {}).value - fit_value(once, at, {}).value, 0, 1e-3);
}

TEST(WeightFit, LeavesOutAFoldAndHoldsAFeatureAtZero) {
  const FitTable table = made_up_table();
  const FusionWeights all = fit_weights(table, 3, {}), without = fit_weights(table, 3, {.without_fold = 2});
  EXPECT_NE(all.global, without.global);
  const FusionWeights held = fit_weights(table, 3, {.without_first = 0, .without_last = 1});
  for (RelationId r = 0; r < 3; ++r) EXPECT_EQ(held.of(r, 0), 0);
}

TEST(WeightFit, GivesTheSameForAnyNumberOfThreads) {
  const FitTable table = made_up_table();
  const std::size_t before = thread_count();
  set_thread_count(1);
  const FusionWeights alone = fit_weights(table, 3, {});
  set_thread_count(3);
  const FusionWeights together = fit_weights(table, 3, {});
  set_thread_count(before);
  EXPECT_EQ(alone.global, together.global);
  EXPECT_EQ(alone.offsets, together.offsets);
}

}  // namespace
}  // namespace hasa
