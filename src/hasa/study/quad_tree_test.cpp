#include "hasa/study/quad_tree.h"

#include <cmath>

#include "hasa/base/rng.h"
#include "hasa/base/testing.h"

namespace hasa {
namespace {

std::vector<Place> random_places(std::size_t count, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Place> places(count);
  for (Place& place : places) place = {20 * rng.uniform() - 10, 20 * rng.uniform() - 10};
  return places;
}

/// The sums as written.
QuadTree::Repulsion repulsion_by_pairs(const std::vector<Place>& places, std::size_t i) {
  QuadTree::Repulsion sum;
  for (std::size_t j = 0; j < places.size(); ++j) {
    if (j == i) continue;
    const double x = places[i].x - places[j].x, y = places[i].y - places[j].y;
    const double weight = 1 / (1 + x * x + y * y);
    sum.weight += weight;
    sum.force.x += weight * weight * x;
    sum.force.y += weight * weight * y;
  }
  return sum;
}

TEST(QuadTree, WithThetaZeroIsTheSumOverAllPairs) {
  for (const std::size_t count : {1, 2, 5, 33, 257}) {
    const std::vector<Place> places = random_places(count, count);
    const QuadTree tree(places);
    for (std::size_t i = 0; i < count; ++i) {
      const auto found = tree.repulsion(i, 0), expected = repulsion_by_pairs(places, i);
      EXPECT_NEAR(found.weight, expected.weight, 1e-9);
      EXPECT_NEAR(found.force.x, expected.force.x, 1e-9);
      EXPECT_NEAR(found.force.y, expected.force.y, 1e-9);
    }
  }
}

TEST(QuadTree, WithThetaOneHalfIsCloseToTheSumOverAllPairs) {
  const std::vector<Place> places = random_places(600, 3);
  const QuadTree tree(places);
  double error = 0, size = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto found = tree.repulsion(i, 0.5), expected = repulsion_by_pairs(places, i);
    EXPECT_NEAR(found.weight, expected.weight, 0.02 * expected.weight);
    error += std::hypot(found.force.x - expected.force.x, found.force.y - expected.force.y);
    size += std::hypot(expected.force.x, expected.force.y);
  }
  EXPECT_LT(error, 0.02 * size);
  EXPECT_GT(error, 0) << "no square was ever taken as one point";
}

TEST(QuadTree, TakesAnyNumberOfPlacesThatAreTheSame) {
  std::vector<Place> places(100, Place{0.3, -0.7});
  places.push_back({1e-300, 5});
  const QuadTree tree(places);
  const auto found = tree.repulsion(0, 0.5), expected = repulsion_by_pairs(places, 0);
  EXPECT_NEAR(found.weight, expected.weight, 1e-9);
  EXPECT_NEAR(found.force.y, expected.force.y, 1e-9);
}

}  // namespace
}  // namespace hasa
