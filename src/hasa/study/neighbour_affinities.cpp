#include "hasa/study/neighbour_affinities.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "hasa/base/error.h"

namespace hasa {
namespace {

constexpr int kHalvings = 64;

/// Shares of the neighbours at these squared distances, nearest first: exp(-precision * distance), normalised, with
/// the precision at which their entropy is log(perplexity).
std::vector<double> shares_with(const std::vector<double>& squared, double perplexity) {
  std::vector<double> shares(squared.size());
  double low = 0, high = std::numeric_limits<double>::infinity();
  const double spread = squared.back() - squared.front();
  double precision = spread > 0 ? 1 / spread : 1;
  for (int k = 0; k < kHalvings; ++k) {
    double sum = 0, weighted = 0;
    for (std::size_t j = 0; j < squared.size(); ++j) {
      const double distance = squared[j] - squared.front();
      shares[j] = std::exp(-precision * distance);
      sum += shares[j];
      weighted += precision * distance * shares[j];
    }
    const double entropy = std::log(sum) + weighted / sum;
    for (double& share : shares) share /= sum;
    const double excess = entropy - std::log(perplexity);
    if (spread == 0 || std::abs(excess) < 1e-9) break;
    (excess > 0 ? low : high) = precision;
    precision = std::isinf(high) ? 2 * precision : (low + high) / 2;
  }
  return shares;
}

}  // namespace

Affinities neighbour_affinities(const PointSet& points, double perplexity) {
  HASA_CHECK(points.count >= 2, shape, "{} points have no neighbours", points.count);
  for (const float value : points.values)
    HASA_CHECK(std::isfinite(value), numeric, "a vector to be drawn holds {}, which is no number", value);
  const std::size_t others = points.count - 1;
  perplexity = std::max(1.0, std::min(perplexity, static_cast<double>(others) / 3));
  const std::size_t k = std::min(others, static_cast<std::size_t>(std::ceil(3 * perplexity)));
  const std::vector<double> distances = squared_distances(points);
  const std::vector<std::size_t> nearest = nearest_others(distances, points.count, k);

  std::vector<std::map<std::size_t, double>> rows(points.count);
  const double half = 0.5 / static_cast<double>(points.count);
  for (std::size_t i = 0; i < points.count; ++i) {
    std::vector<double> squared(k);
    for (std::size_t j = 0; j < k; ++j) squared[j] = distances[i * points.count + nearest[i * k + j]];
    const std::vector<double> shares = shares_with(squared, perplexity);
    for (std::size_t j = 0; j < k; ++j) {
      rows[i][nearest[i * k + j]] += half * shares[j];
      rows[nearest[i * k + j]][i] += half * shares[j];
    }
  }
  Affinities affinities;
  affinities.offsets.push_back(0);
  for (const auto& row : rows) {
    for (const auto& [to, p] : row) {
      affinities.to.push_back(to);
      affinities.p.push_back(p);
    }
    affinities.offsets.push_back(affinities.to.size());
  }
  return affinities;
}

}  // namespace hasa
