#pragma once

#include <cstddef>
#include <vector>

#include "hasa/study/point_set.h"

namespace hasa {

/// How much each point is a neighbour of each other one: symmetric, and all of them add up to 1. Row i is to[k], p[k]
/// for k in [offsets[i], offsets[i + 1]), by rising number.
struct Affinities {
  std::vector<std::size_t> offsets, to;
  std::vector<double> p;

  std::size_t count() const { return offsets.size() - 1; }
};

/// t-SNE's: p(j|i) falls off as a Gaussian of the distance over the 3 * perplexity nearest others of i, of the width
/// that gives it that perplexity (as if so many neighbours counted alike); p_ij = (p(j|i) + p(i|j)) / 2n. The
/// perplexity is at most a third of the number of others. Throws shape for fewer than 2 points, numeric for a value
/// that is not finite.
Affinities neighbour_affinities(const PointSet& points, double perplexity);

}  // namespace hasa
