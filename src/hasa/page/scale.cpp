#include "hasa/page/scale.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hasa {
namespace {

constexpr double kSteps = 5;  // about so many on an axis

/// 1, 2 or 5 times a power of ten, whichever divides the range into about kSteps.
double step_for(double range) {
  const double rough = range / kSteps, power = std::pow(10.0, std::floor(std::log10(rough)));
  const double lead = rough / power;
  return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

}  // namespace

ChartScale::ChartScale(const ChartAxis& axis, std::span<const double> values) : logarithmic_(axis.logarithmic) {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (const double value : values) {
    if (!shows(value)) continue;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  if (least > most) least = most = 1;  // nothing to show
  low_ = axis.low.value_or(least);
  high_ = std::max(axis.high.value_or(most), low_);
  if (low_ == high_) high_ = low_ + (logarithmic_ ? 9 * low_ : std::max(std::abs(low_), 1e-9));
  if (logarithmic_)
    set_logarithmic();
  else
    set_linear(axis);
}

void ChartScale::set_linear(const ChartAxis& axis) {
  const double step = std::max(step_for(high_ - low_), axis.whole ? 1.0 : 0.0);
  if (!axis.low) low_ = step * std::floor(low_ / step + 1e-9);
  if (!axis.high) high_ = step * std::ceil(high_ / step - 1e-9);
  const auto first = static_cast<long>(std::ceil(low_ / step - 1e-9));
  for (long k = first; static_cast<double>(k) * step <= high_ + 1e-9 * step; ++k)
    ticks_.push_back(static_cast<double>(k) * step);
}

void ChartScale::set_logarithmic() {
  low_ = std::pow(10.0, std::floor(std::log10(low_) + 1e-9));
  high_ = std::pow(10.0, std::ceil(std::log10(high_) - 1e-9));
  if (high_ <= low_) high_ = 10 * low_;
  const int decades = static_cast<int>(std::lround(std::log10(high_ / low_)));
  const int stride = std::max(1, (decades + 5) / 6);
  for (int k = 0; k <= decades; k += stride) ticks_.push_back(low_ * std::pow(10.0, k));
}

bool ChartScale::shows(double value) const { return std::isfinite(value) && (!logarithmic_ || value > 0); }

double ChartScale::at(double value) const {
  const double share =
      logarithmic_ ? std::log(std::max(value, low_) / low_) / std::log(high_ / low_) : (value - low_) / (high_ - low_);
  return std::clamp(share, 0.0, 1.0);
}

}  // namespace hasa
