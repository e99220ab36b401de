#include "hasa/study/silhouette.h"

#include <algorithm>
#include <limits>

#include "hasa/base/error.h"
#include "hasa/base/rng.h"
#include "hasa/base/thread_pool.h"

namespace hasa {

Silhouette silhouette(std::span<const double> distances, std::span<const std::size_t> groups) {
  const std::size_t count = groups.size();
  HASA_CHECK(distances.size() == count * count, shape, "{} distances for {} points", distances.size(), count);
  std::vector<double> sizes;
  for (const std::size_t group : groups) {
    sizes.resize(std::max(sizes.size(), group + 1));
    ++sizes[group];
  }
  HASA_CHECK(std::count_if(sizes.begin(), sizes.end(), [](double size) { return size > 0; }) >= 2, shape,
             "the separation of fewer than two groups was asked for");
  Silhouette result;
  result.of_points.resize(count);
  parallel_for(count, 64, [&](std::size_t begin, std::size_t end) {
    std::vector<double> sums(sizes.size());
    for (std::size_t i = begin; i < end; ++i) {
      std::fill(sums.begin(), sums.end(), 0);
      for (std::size_t j = 0; j < count; ++j) sums[groups[j]] += distances[i * count + j];
      if (sizes[groups[i]] < 2) continue;
      const double within = sums[groups[i]] / (sizes[groups[i]] - 1);
      double between = std::numeric_limits<double>::infinity();
      for (std::size_t group = 0; group < sizes.size(); ++group) {
        if (group != groups[i] && sizes[group] > 0) between = std::min(between, sums[group] / sizes[group]);
      }
      const double larger = std::max(within, between);
      result.of_points[i] = larger > 0 ? (between - within) / larger : 0;
    }
  });
  result.of_groups.assign(sizes.size(), 0);
  for (std::size_t i = 0; i < count; ++i) {
    result.of_groups[groups[i]] += result.of_points[i] / sizes[groups[i]];
    result.mean += result.of_points[i] / static_cast<double>(count);
  }
  return result;
}

double separation_p_value(std::span<const double> distances, std::span<const std::size_t> groups,
                          std::int64_t permutations, std::uint64_t seed) {
  const double observed = silhouette(distances, groups).mean;
  Rng rng(seed, "relabelling");
  std::vector<std::size_t> labels(groups.begin(), groups.end());
  std::int64_t as_high = 1;
  for (std::int64_t k = 0; k < permutations; ++k) {
    rng.shuffle(labels);
    if (silhouette(distances, labels).mean >= observed) ++as_high;
  }
  return static_cast<double>(as_high) / static_cast<double>(1 + permutations);
}

}  // namespace hasa
