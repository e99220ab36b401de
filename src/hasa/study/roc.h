#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hasa/base/interval.h"
#include "hasa/base/rng.h"

namespace hasa {

/// Something a measure should put before others, or one of the others; it may count several times.
struct RocItem {
  double value = 0;  // the greater, the sooner it is taken for a positive
  bool positive = false;
  double weight = 1;
};

struct RocPoint {
  double false_positive_rate = 0, true_positive_rate = 0;
};

/// The receiver operating characteristic: one point for each value that occurs, from (0, 0) to (1, 1). Items of equal
/// values are taken together.
std::vector<RocPoint> roc_curve(std::span<const RocItem> items);

/// The area under it: the probability that a positive has a greater value than another, equal values counting half.
/// .5 where there are no positives or nothing but positives.
double area_under(std::span<const RocPoint> curve);

/// 95% of the areas of `resamples` bootstrap samples of the groups that items belong to: items of one query are not
/// independent. groups: of each item, a number from 0.
Interval area_interval(std::span<const RocItem> items, std::span<const std::uint32_t> groups, int resamples, Rng& rng);

/// At most `most` points of a curve, its ends among them, for a chart.
std::vector<RocPoint> thinned(const std::vector<RocPoint>& curve, std::size_t most);

}  // namespace hasa
