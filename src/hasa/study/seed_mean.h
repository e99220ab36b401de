#pragma once

#include <span>
#include <string>

#include "hasa/base/interval.h"

namespace hasa {

/// What repetitions over seeds come to: their mean, and the 95% interval of Student's t for it. Of a single seed the
/// interval is the value alone, and nothing can be said of it.
struct SeedMean {
  std::size_t seeds = 0;
  double mean = 0;
  double deviation = 0;  // of one seed
  Interval interval;

  bool has_interval() const { return seeds > 1; }
};

SeedMean seed_mean(std::span<const double> values);

/// ".597 ± .012", as shares are printed; without an interval the mean alone.
std::string format_share(const SeedMean& mean);

}  // namespace hasa
