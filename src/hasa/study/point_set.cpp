#include "hasa/study/point_set.h"

#include <algorithm>
#include <numeric>

#include "hasa/base/error.h"
#include "hasa/base/thread_pool.h"

namespace hasa {
namespace {

template <class Distance>
std::vector<double> all_pairs(std::size_t count, const Distance& distance) {
  std::vector<double> all(count * count);
  parallel_for(count, 32, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t j = 0; j < count; ++j) all[i * count + j] = i == j ? 0 : distance(i, j);
    }
  });
  return all;
}

}  // namespace

std::vector<double> squared_distances(const PointSet& points) {
  HASA_CHECK(points.values.size() == points.count * points.dim, shape, "{} values are no {} points of {} numbers",
             points.values.size(), points.count, points.dim);
  return all_pairs(points.count, [&](std::size_t i, std::size_t j) {
    const auto a = points.row(std::min(i, j)), b = points.row(std::max(i, j));
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
      const double difference = static_cast<double>(a[k]) - b[k];
      sum += difference * difference;
    }
    return sum;
  });
}

std::vector<double> squared_distances(std::span<const Place> places) {
  return all_pairs(places.size(), [&](std::size_t i, std::size_t j) {
    const double x = places[i].x - places[j].x, y = places[i].y - places[j].y;
    return x * x + y * y;
  });
}

std::vector<std::size_t> nearest_others(std::span<const double> squared_distances, std::size_t count, std::size_t k) {
  k = count == 0 ? 0 : std::min(k, count - 1);
  std::vector<std::size_t> nearest(count * k);
  parallel_for(count, 32, [&](std::size_t begin, std::size_t end) {
    std::vector<std::size_t> others(count);
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = squared_distances.subspan(i * count, count);
      std::iota(others.begin(), others.end(), 0);
      std::swap(others[i], others.back());  // never its own neighbour
      std::partial_sort(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(k), others.end() - 1,
                        [&](std::size_t a, std::size_t b) { return row[a] != row[b] ? row[a] < row[b] : a < b; });
      std::copy_n(others.begin(), k, nearest.begin() + static_cast<std::ptrdiff_t>(i * k));
    }
  });
  return nearest;
}

double neighbours_kept(const PointSet& points, std::span<const Place> places, std::size_t k) {
  HASA_CHECK(places.size() == points.count && points.count > k && k > 0, shape,
             "{} places for {} points, of which {} neighbours are asked for", places.size(), points.count, k);
  const auto before = nearest_others(squared_distances(points), points.count, k);
  const auto after = nearest_others(squared_distances(places), points.count, k);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < points.count; ++i) {
    for (std::size_t a = i * k; a < (i + 1) * k; ++a)
      kept += static_cast<std::size_t>(std::count(after.begin() + static_cast<std::ptrdiff_t>(i * k),
                                                  after.begin() + static_cast<std::ptrdiff_t>((i + 1) * k), before[a]));
  }
  return static_cast<double>(kept) / static_cast<double>(points.count * k);
}

}  // namespace hasa
