#include "hasa/study/tsne.h"

#include <cmath>

#include "hasa/base/rng.h"
#include "hasa/base/testing.h"
#include "hasa/base/thread_pool.h"

namespace hasa {
namespace {

/// Three round clouds in ten dimensions, far from each other; point i is of cloud i % 3.
std::vector<float> three_clouds(std::size_t count) {
  Rng rng(11);
  std::vector<float> values;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < 10; ++k)
      values.push_back(static_cast<float>((k == i % 3 ? 6 : 0) + rng.uniform() + rng.uniform()));
  }
  return values;
}

std::vector<Place> some_places(std::size_t count) {
  Rng rng(5);
  std::vector<Place> places(count);
  for (Place& place : places) place = {4 * rng.uniform(), 4 * rng.uniform()};
  return places;
}

/// As in the paper's equation, over all pairs.
std::vector<Place> gradient_by_pairs(const Affinities& p, const std::vector<Place>& places) {
  std::vector<std::vector<double>> dense(places.size(), std::vector<double>(places.size()));
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (std::size_t k = p.offsets[i]; k < p.offsets[i + 1]; ++k) dense[i][p.to[k]] = p.p[k];
  }
  const auto weight = [&](std::size_t i, std::size_t j) {
    return 1 / (1 + std::pow(places[i].x - places[j].x, 2) + std::pow(places[i].y - places[j].y, 2));
  };
  double all = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (std::size_t j = 0; j < places.size(); ++j) all += i == j ? 0 : weight(i, j);
  }
  std::vector<Place> gradient(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (std::size_t j = 0; j < places.size(); ++j) {
      if (i == j) continue;
      const double factor = 4 * (dense[i][j] - weight(i, j) / all) * weight(i, j);
      gradient[i].x += factor * (places[i].x - places[j].x);
      gradient[i].y += factor * (places[i].y - places[j].y);
    }
  }
  return gradient;
}

TEST(Tsne, HasTheGradientOfTheFormulaOverAllPairs) {
  const std::vector<float> values = three_clouds(90);
  const Affinities p = neighbour_affinities({values, 90, 10}, 10);
  const std::vector<Place> places = some_places(90);
  const auto expected = gradient_by_pairs(p, places), exact = tsne_gradient(p, places, 0);
  const auto by_squares = tsne_gradient(p, places, 0.5);
  double error = 0, size = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    EXPECT_NEAR(exact[i].x, expected[i].x, 1e-12);
    EXPECT_NEAR(exact[i].y, expected[i].y, 1e-12);
    error += std::hypot(by_squares[i].x - expected[i].x, by_squares[i].y - expected[i].y);
    size += std::hypot(expected[i].x, expected[i].y);
  }
  EXPECT_LT(error, 0.03 * size);
}

TEST(Tsne, HasTheSlopeOfItsObjectiveForAGradient) {
  const std::vector<float> values = three_clouds(30);
  const Affinities p = neighbour_affinities({values, 30, 10}, 5);
  std::vector<Place> places = some_places(30);
  const auto gradient = tsne_gradient(p, places, 0);
  constexpr double kStep = 1e-5;
  for (const std::size_t i : {0, 7, 29}) {
    const double x = places[i].x;
    places[i].x = x + kStep;
    const double above = tsne_objective(p, places);
    places[i].x = x - kStep;
    const double below = tsne_objective(p, places);
    places[i].x = x;
    EXPECT_NEAR(gradient[i].x, (above - below) / (2 * kStep), 1e-7);
  }
}

TEST(Tsne, LowersItsObjectiveAndKeepsNeighbours) {
  const std::vector<float> values = three_clouds(150);
  const PointSet points{values, 150, 10};
  const TsneResult result = tsne(points, {.perplexity = 12, .iterations = 300});
  EXPECT_LT(result.objective.back().second, 0.5 * result.objective.front().second);
  const auto after_exaggeration = result.objective.end() - 5;
  EXPECT_LT(result.objective.back().second, after_exaggeration->second);
  EXPECT_GT(neighbours_kept(points, result.places, 10), 0.5);  // by chance .067, within the right cloud .2
  // The nearest other place is one of the same cloud, whatever the picture looks like.
  const auto nearest = nearest_others(squared_distances(result.places), 150, 1);
  for (std::size_t i = 0; i < 150; ++i) EXPECT_EQ(nearest[i] % 3, i % 3) << i;
}

TEST(Tsne, GivesTheSamePlacesForAnyNumberOfThreadsAndOthersForAnotherSeed) {
  const std::vector<float> values = three_clouds(200);
  const PointSet points{values, 200, 10};
  const std::size_t before = thread_count();
  set_thread_count(1);
  const TsneResult alone = tsne(points, {.iterations = 40});
  set_thread_count(3);
  const TsneResult together = tsne(points, {.iterations = 40});
  const TsneResult other = tsne(points, {.iterations = 40, .seed = 2});
  set_thread_count(before);
  for (std::size_t i = 0; i < 200; ++i) {
    EXPECT_EQ(alone.places[i].x, together.places[i].x);
    EXPECT_EQ(alone.places[i].y, together.places[i].y);
  }
  EXPECT_NE(alone.places[0].x, other.places[0].x);
}

TEST(Tsne, TakesTwoPoints) {
  const std::vector<float> values{0, 0, 1, 1};
  const TsneResult result = tsne({values, 2, 2}, {.iterations = 20});
  EXPECT_TRUE(std::isfinite(result.places[0].x) && std::isfinite(result.places[1].y));
}

}  // namespace
}  // namespace hasa
