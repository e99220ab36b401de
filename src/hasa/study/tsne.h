#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "hasa/base/config.h"
#include "hasa/study/neighbour_affinities.h"
#include "hasa/study/point_set.h"

namespace hasa {

struct TsneConfig {
  double perplexity = 30;
  std::int64_t iterations = 1000;
  double exaggeration = 12;
  double theta = 0.5;
  std::uint64_t seed = 1;

  template <class Visitor>
  static void fields(Visitor& field) {
    using C = TsneConfig;
    field("perplexity", &C::perplexity, "how many neighbours of a point count, about", Range{1, 1000});
    field("iterations", &C::iterations, "steps of gradient descent", Range{1, 100000});
    field("exaggeration", &C::exaggeration, "factor of the attraction in the first quarter of the steps",
          Range{1, 100});
    field("theta", &C::theta,
          "squares of points whose width is less than this many times their distance count as one point; 0: every "
          "pair is looked at",
          Range{0, 0.7});
    field("seed", &C::seed, "of the first places");
  }
};

struct TsneResult {
  std::vector<Place> places;
  std::vector<std::pair<std::int64_t, double>> objective;  // after so many steps: before the first, then ten times
};

/// t-SNE (van der Maaten and Hinton, 2008): places in the plane whose affinities q_ij, in proportion to
/// w_ij = 1 / (1 + |y_i - y_j|^2), have the least KL(p || q), by gradient descent with momentum. Barnes-Hut: the
/// repulsion comes from a QuadTree. The same places for any number of threads.
TsneResult tsne(const PointSet& points, const TsneConfig& config);

/// KL(p || q), over all pairs.
double tsne_objective(const Affinities& p, std::span<const Place> places);

/// Its gradient in each place, 4 sum_j (p_ij - q_ij) w_ij (y_i - y_j); theta as in the config.
std::vector<Place> tsne_gradient(const Affinities& p, std::span<const Place> places, double theta);

}  // namespace hasa
