#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hasa {

/// How well groups of points are apart (Rousseeuw, 1987). For a point, a is its mean distance to the others of its
/// group and b the least mean distance to another group; its silhouette is (b - a) / max(a, b), in [-1, 1]: 1 deep in
/// its group, 0 between two, below 0 nearer to another. Alone in its group it is 0.
struct Silhouette {
  double mean = 0;
  std::vector<double> of_groups;  // means, by number of the group
  std::vector<double> of_points;
};

/// distances: [points, points], not squared. groups: of each point, 0 <= group < count. Throws shape for fewer than two
/// groups that have points.
Silhouette silhouette(std::span<const double> distances, std::span<const std::size_t> groups);

/// Share of random relabellings, the given one among them, whose mean silhouette is at least the given one's.
double separation_p_value(std::span<const double> distances, std::span<const std::size_t> groups,
                          std::int64_t permutations, std::uint64_t seed);

}  // namespace hasa
