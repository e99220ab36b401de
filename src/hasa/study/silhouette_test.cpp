#include "hasa/study/silhouette.h"

#include <cmath>

#include "hasa/base/rng.h"
#include "hasa/base/testing.h"

namespace hasa {
namespace {

std::vector<double> distances_on_a_line(const std::vector<double>& places) {
  std::vector<double> distances;
  for (const double a : places) {
    for (const double b : places) distances.push_back(std::abs(a - b));
  }
  return distances;
}

TEST(Silhouette, IsWhatOneWorksOutByHand) {
  // Groups {0, 1} and {5, 9}. Of 0: a = 1, b = 7. Of 1: a = 1, b = 6. Of 5: a = 4, b = 4.5. Of 9: a = 4, b = 8.5.
  const auto found = silhouette(distances_on_a_line({0, 1, 5, 9}), std::vector<std::size_t>{0, 0, 1, 1});
  EXPECT_NEAR(found.of_points[0], 6.0 / 7, 1e-12);
  EXPECT_NEAR(found.of_points[1], 5.0 / 6, 1e-12);
  EXPECT_NEAR(found.of_points[2], 0.5 / 4.5, 1e-12);
  EXPECT_NEAR(found.of_points[3], 4.5 / 8.5, 1e-12);
  EXPECT_NEAR(found.of_groups[0], (6.0 / 7 + 5.0 / 6) / 2, 1e-12);
  EXPECT_NEAR(found.mean, (6.0 / 7 + 5.0 / 6 + 0.5 / 4.5 + 4.5 / 8.5) / 4, 1e-12);
}

TEST(Silhouette, IsBelowZeroForLabelsThatCutAcrossTheGroups) {
  EXPECT_LT(silhouette(distances_on_a_line({0, 1, 10, 11}), std::vector<std::size_t>{0, 1, 0, 1}).mean, 0);
}

TEST(Silhouette, IsZeroForAPointAloneInItsGroup) {
  const auto found = silhouette(distances_on_a_line({0, 1, 7}), std::vector<std::size_t>{0, 0, 1});
  EXPECT_EQ(found.of_points[2], 0);
}

TEST(Silhouette, RefusesASingleGroup) {
  EXPECT_ERROR(silhouette(distances_on_a_line({0, 1}), std::vector<std::size_t>{0, 0}), "fewer than two groups");
}

TEST(Silhouette, HasASmallPValueOnlyWhereTheGroupsAreApart) {
  Rng rng(4);
  std::vector<double> apart, mixed;
  std::vector<std::size_t> groups;
  for (std::size_t i = 0; i < 40; ++i) {
    groups.push_back(i % 2);
    apart.push_back(rng.uniform() + (i % 2 == 0 ? 0 : 2));
    mixed.push_back(rng.uniform());
  }
  EXPECT_NEAR(separation_p_value(distances_on_a_line(apart), groups, 99, 1), 0.01, 1e-12);
  EXPECT_GT(separation_p_value(distances_on_a_line(mixed), groups, 99, 1), 0.05);
}

}  // namespace
}  // namespace hasa
