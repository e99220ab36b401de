#include "hasa/study/seed_mean.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numeric>

#include "hasa/base/error.h"
#include "hasa/page/number.h"

namespace hasa {
namespace {

/// Of Student's t, by degrees of freedom from 1.
double quantile_975(std::size_t freedom) {
  constexpr std::array<double, 20> kQuantiles = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                                 2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086};
  if (freedom <= kQuantiles.size()) return kQuantiles[freedom - 1];
  // Of the normal distribution, with the first term of the expansion: within .002 from here on.
  return 1.95996 + 2.3723 / static_cast<double>(freedom);
}

}  // namespace

SeedMean seed_mean(std::span<const double> values) {
  HASA_ASSERT(!values.empty());
  const auto n = static_cast<double>(values.size());
  SeedMean result{.seeds = values.size(), .mean = std::accumulate(values.begin(), values.end(), 0.0) / n, .interval = {}};
  double squares = 0;
  for (const double value : values) squares += (value - result.mean) * (value - result.mean);
  if (values.size() > 1) result.deviation = std::sqrt(squares / (n - 1));
  const double half = values.size() > 1 ? quantile_975(values.size() - 1) * result.deviation / std::sqrt(n) : 0;
  result.interval = {result.mean - half, result.mean + half};
  return result;
}

std::string format_share(const SeedMean& mean) {
  if (!mean.has_interval()) return format_share(mean.mean);
  return fmt::format("{} ± {}", format_share(mean.mean), format_share(mean.interval.high - mean.mean));
}

}  // namespace hasa
