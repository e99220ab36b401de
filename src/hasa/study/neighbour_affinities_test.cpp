#include "hasa/study/neighbour_affinities.h"

#include <cmath>
#include <numeric>

#include "hasa/base/rng.h"
#include "hasa/base/testing.h"

namespace hasa {
namespace {

std::vector<float> random_values(std::size_t count, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(rng.uniform());
  return values;
}

double affinity(const Affinities& affinities, std::size_t from, std::size_t to) {
  for (std::size_t k = affinities.offsets[from]; k < affinities.offsets[from + 1]; ++k) {
    if (affinities.to[k] == to) return affinities.p[k];
  }
  return 0;
}

TEST(NeighbourAffinities, AreSymmetricAndAddUpToOne) {
  const std::vector<float> values = random_values(60 * 4, 1);
  const Affinities affinities = neighbour_affinities({values, 60, 4}, 8);
  EXPECT_NEAR(std::accumulate(affinities.p.begin(), affinities.p.end(), 0.0), 1, 1e-12);
  for (std::size_t i = 0; i < 60; ++i) {
    EXPECT_EQ(affinity(affinities, i, i), 0);
    for (std::size_t j = 0; j < 60; ++j) EXPECT_DOUBLE_EQ(affinity(affinities, i, j), affinity(affinities, j, i));
  }
}

TEST(NeighbourAffinities, HaveThePerplexityThatWasAskedFor) {
  // On a ring all points see the same distances, so a row of p is p(.|i) / n, whose perplexity can be told from it.
  constexpr std::size_t kCount = 64;
  std::vector<float> ring;
  for (std::size_t i = 0; i < kCount; ++i) {
    const double angle = 2 * M_PI * static_cast<double>(i) / kCount;
    ring.insert(ring.end(), {static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))});
  }
  const Affinities affinities = neighbour_affinities({ring, kCount, 2}, 6);
  double entropy = 0;
  for (std::size_t k = affinities.offsets[5]; k < affinities.offsets[6]; ++k)
    entropy -= kCount * affinities.p[k] * std::log(kCount * affinities.p[k]);
  EXPECT_NEAR(std::exp(entropy), 6, 0.1);  // nearly: of two equally far ones at the cut, one is kept
}

TEST(NeighbourAffinities, TakePointsThatAreAllTheSame) {
  const std::vector<float> values(10 * 3, 0.5F);
  const Affinities affinities = neighbour_affinities({values, 10, 3}, 5);
  EXPECT_NEAR(std::accumulate(affinities.p.begin(), affinities.p.end(), 0.0), 1, 1e-12);
}

TEST(NeighbourAffinities, RefuseWhatIsNoNumber) {
  const std::vector<float> values{0, 1, NAN, 2};
  EXPECT_ERROR(neighbour_affinities({values, 4, 1}, 2), "no number");
}

}  // namespace
}  // namespace hasa
