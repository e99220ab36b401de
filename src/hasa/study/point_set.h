#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace hasa {

/// Rows of a matrix as points: [count, dim], row by row. Holds no memory of its own.
struct PointSet {
  std::span<const float> values;
  std::size_t count = 0, dim = 0;

  std::span<const float> row(std::size_t i) const { return values.subspan(i * dim, dim); }
};

/// A point in the plane.
struct Place {
  double x = 0, y = 0;
};

/// Euclidean distances between all pairs, [count, count] row by row, in double.
std::vector<double> squared_distances(const PointSet& points);
std::vector<double> squared_distances(std::span<const Place> places);

/// The k nearest others of each of `count` points, nearest first and equal ones by number: [count, min(k, count - 1)].
std::vector<std::size_t> nearest_others(std::span<const double> squared_distances, std::size_t count, std::size_t k);

/// Mean over the points of the share of their k nearest others that are among the k nearest in the plane too: 1 keeps
/// every neighbourhood, k / (count - 1) is chance. Throws shape unless there are more than k places, one per point.
double neighbours_kept(const PointSet& points, std::span<const Place> places, std::size_t k);

}  // namespace hasa
