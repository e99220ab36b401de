#include "hasa/eval/isotonic.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hasa/base/error.h"

namespace hasa {
namespace {

/// Neighbouring points that share a value.
struct Pool {
  double first, last;  // x
  double sum, count;   // of y

  double mean() const { return sum / count; }
};

void add_pool(std::vector<Pool>& pools, Pool pool) {
  while (!pools.empty() && pools.back().mean() >= pool.mean()) {
    const Pool& before = pools.back();
    pool = {before.first, pool.last, before.sum + pool.sum, before.count + pool.count};
    pools.pop_back();
  }
  pools.push_back(pool);
}

}  // namespace

Isotonic Isotonic::fit(std::span<const double> x, std::span<const double> y) {
  HASA_CHECK(!x.empty() && x.size() == y.size(), shape, "an isotonic fit of {} and {} numbers", x.size(), y.size());
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
  std::vector<Pool> pools;
  for (std::size_t i = 0; i < order.size();) {
    Pool same{x[order[i]], x[order[i]], 0, 0};
    for (; i < order.size() && x[order[i]] == same.first; ++i) {
      same.sum += y[order[i]];
      same.count += 1;
    }
    add_pool(pools, same);
  }
  std::vector<Knot> knots;
  for (const Pool& pool : pools) {
    knots.push_back({pool.first, pool.mean()});
    if (pool.last > pool.first) knots.push_back({pool.last, pool.mean()});
  }
  return Isotonic(std::move(knots));
}

Isotonic::Isotonic(std::vector<Knot> knots) : knots_(std::move(knots)) {
  bool sound = !knots_.empty();
  for (std::size_t k = 0; k < knots_.size(); ++k) {
    sound = sound && std::isfinite(knots_[k].x) && std::isfinite(knots_[k].y);
    sound = sound && (k == 0 || (knots_[k - 1].x < knots_[k].x && knots_[k - 1].y <= knots_[k].y));
  }
  HASA_CHECK(sound, data, "the knots of an isotonic function do not rise");
}

double Isotonic::operator()(double x) const {
  const auto right =
      std::upper_bound(knots_.begin(), knots_.end(), x, [](double value, const Knot& k) { return value < k.x; });
  if (right == knots_.begin()) return knots_.front().y;
  if (right == knots_.end()) return knots_.back().y;
  const Knot& left = *(right - 1);
  return left.y + (right->y - left.y) * ((x - left.x) / (right->x - left.x));
}

}  // namespace hasa
