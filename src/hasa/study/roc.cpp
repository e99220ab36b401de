#include "hasa/study/roc.h"

#include <algorithm>
#include <numeric>

#include "hasa/base/error.h"

namespace hasa {
namespace {

/// By falling value.
std::vector<std::uint32_t> order_of(std::span<const RocItem> items) {
  std::vector<std::uint32_t> order(items.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) { return items[a].value > items[b].value; });
  return order;
}

/// With items in order; weight(i) is item i's.
std::vector<RocPoint> curve_in_order(std::span<const RocItem> items, std::span<const std::uint32_t> order,
                                     const auto& weight) {
  double positives = 0, others = 0;
  for (const std::uint32_t i : order) (items[i].positive ? positives : others) += weight(i);
  if (positives == 0 || others == 0) return {{0, 0}, {1, 1}};
  std::vector<RocPoint> curve{{0, 0}};
  double true_positives = 0, false_positives = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    (items[order[k]].positive ? true_positives : false_positives) += weight(order[k]);
    if (k + 1 < order.size() && items[order[k + 1]].value == items[order[k]].value) continue;
    curve.push_back({false_positives / others, true_positives / positives});
  }
  return curve;
}

}  // namespace

std::vector<RocPoint> roc_curve(std::span<const RocItem> items) {
  return curve_in_order(items, order_of(items), [&](std::uint32_t i) { return items[i].weight; });
}

double area_under(std::span<const RocPoint> curve) {
  double area = 0;
  for (std::size_t i = 1; i < curve.size(); ++i)
    area += (curve[i].false_positive_rate - curve[i - 1].false_positive_rate) *
            (curve[i].true_positive_rate + curve[i - 1].true_positive_rate) / 2;
  return area;
}

Interval area_interval(std::span<const RocItem> items, std::span<const std::uint32_t> groups, int resamples, Rng& rng) {
  HASA_CHECK(items.size() == groups.size(), shape, "{} items, {} groups", items.size(), groups.size());
  if (items.empty()) return {0.5, 0.5};
  const std::vector<std::uint32_t> order = order_of(items);
  const std::uint32_t count = 1 + *std::ranges::max_element(groups);
  std::vector<double> areas, times(count);
  for (int sample = 0; sample < resamples; ++sample) {
    std::ranges::fill(times, 0.0);
    for (std::uint32_t i = 0; i < count; ++i) times[rng.below(count)] += 1;
    areas.push_back(area_under(
        curve_in_order(items, order, [&](std::uint32_t i) { return items[i].weight * times[groups[i]]; })));
  }
  std::ranges::sort(areas);
  const auto at = [&](double share) { return areas[static_cast<std::size_t>(share * static_cast<double>(areas.size() - 1) + 0.5)]; };
  return {at(0.025), at(0.975)};
}

std::vector<RocPoint> thinned(const std::vector<RocPoint>& curve, std::size_t most) {
  if (curve.size() <= most || most < 2) return curve;
  std::vector<RocPoint> few;
  for (std::size_t i = 0; i < most; ++i) few.push_back(curve[i * (curve.size() - 1) / (most - 1)]);
  return few;
}

}  // namespace hasa
