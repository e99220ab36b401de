#include "hasa/study/tsne.h"

#include <algorithm>
#include <cmath>

#include "hasa/base/rng.h"
#include "hasa/base/thread_pool.h"
#include "hasa/study/quad_tree.h"

namespace hasa {
namespace {

constexpr std::size_t kPlacesOfAThread = 64;
constexpr double kFirstSpread = 1e-4;
constexpr double kLeastStepSize = 50;
constexpr double kLeastGain = 0.01;

Place normal_draw(Rng& rng) {
  const double radius = std::sqrt(-2 * std::log(1 - rng.uniform())), angle = 2 * M_PI * rng.uniform();
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

/// Its gain grows while a coordinate keeps its direction, and shrinks when that turns.
struct Coordinate {
  double speed = 0, gain = 1;

  double moved(double slope, double step_size, double momentum) {
    gain = std::max(kLeastGain, (slope > 0) == (speed > 0) ? 0.8 * gain : gain + 0.2);
    speed = momentum * speed - step_size * gain * slope;
    return speed;
  }
};

std::vector<Place> gradient_of(const Affinities& p, std::span<const Place> places, double theta, double exaggeration) {
  const QuadTree tree(places);
  std::vector<QuadTree::Repulsion> repulsion(places.size());
  std::vector<Place> attraction(places.size());
  parallel_for(places.size(), kPlacesOfAThread, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      repulsion[i] = tree.repulsion(i, theta);
      for (std::size_t k = p.offsets[i]; k < p.offsets[i + 1]; ++k) {
        const double x = places[i].x - places[p.to[k]].x, y = places[i].y - places[p.to[k]].y;
        const double pull = p.p[k] / (1 + x * x + y * y);
        attraction[i].x += pull * x;
        attraction[i].y += pull * y;
      }
    }
  });
  double all = 0;
  for (const auto& each : repulsion) all += each.weight;
  for (std::size_t i = 0; i < places.size(); ++i)
    attraction[i] = {4 * (exaggeration * attraction[i].x - repulsion[i].force.x / all),
                     4 * (exaggeration * attraction[i].y - repulsion[i].force.y / all)};
  return attraction;
}

void centre(std::vector<Place>& places) {
  Place sum;
  for (const Place& place : places) sum = {sum.x + place.x, sum.y + place.y};
  const auto count = static_cast<double>(places.size());
  for (Place& place : places) place = {place.x - sum.x / count, place.y - sum.y / count};
}

}  // namespace

double tsne_objective(const Affinities& p, std::span<const Place> places) {
  const auto weight = [&](std::size_t i, std::size_t j) {
    const double x = places[i].x - places[j].x, y = places[i].y - places[j].y;
    return 1 / (1 + x * x + y * y);
  };
  double all = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) all += 2 * weight(i, j);
  }
  double sum = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (std::size_t k = p.offsets[i]; k < p.offsets[i + 1]; ++k) {
      if (p.p[k] > 0) sum += p.p[k] * std::log(p.p[k] * all / weight(i, p.to[k]));
    }
  }
  return sum;
}

std::vector<Place> tsne_gradient(const Affinities& p, std::span<const Place> places, double theta) {
  return gradient_of(p, places, theta, 1);
}

TsneResult tsne(const PointSet& points, const TsneConfig& config) {
  const Affinities p = neighbour_affinities(points, config.perplexity);
  Rng rng(config.seed, "t-SNE");
  TsneResult result;
  for (std::size_t i = 0; i < points.count; ++i) {
    const Place drawn = normal_draw(rng);
    result.places.push_back({kFirstSpread * drawn.x, kFirstSpread * drawn.y});
  }
  result.objective.emplace_back(0, tsne_objective(p, result.places));
  std::vector<Coordinate> x(points.count), y(points.count);
  const double step_size = std::max(kLeastStepSize, static_cast<double>(points.count) / config.exaggeration / 4);
  const std::int64_t exaggerated = config.iterations / 4,
                     look_every = std::max<std::int64_t>(1, config.iterations / 10);
  for (std::int64_t step = 0; step < config.iterations; ++step) {
    const bool is_early = step < exaggerated;
    const auto slope = gradient_of(p, result.places, config.theta, is_early ? config.exaggeration : 1);
    for (std::size_t i = 0; i < points.count; ++i) {
      result.places[i].x += x[i].moved(slope[i].x, step_size, is_early ? 0.5 : 0.8);
      result.places[i].y += y[i].moved(slope[i].y, step_size, is_early ? 0.5 : 0.8);
    }
    centre(result.places);
    if ((step + 1) % look_every == 0 || step + 1 == config.iterations)
      result.objective.emplace_back(step + 1, tsne_objective(p, result.places));
  }
  return result;
}

}  // namespace hasa
