#pragma once

#include <span>
#include <vector>

#include "hasa/page/chart.h"

namespace hasa {

/// Where a value stands on an axis, as a share of its length, and which values are written beside it.
class ChartScale {
 public:
  /// Covers the values and ends at ticks, unless the axis says where it begins or ends. A logarithmic axis leaves out
  /// values that are not positive. Values that are not finite count for nothing.
  ChartScale(const ChartAxis& axis, std::span<const double> values);

  /// 0 at the beginning of the axis, 1 at its end; values beyond are put at the ends.
  double at(double value) const;
  bool shows(double value) const;
  const std::vector<double>& ticks() const { return ticks_; }

 private:
  void set_linear(const ChartAxis& axis);
  void set_logarithmic();

  bool logarithmic_;
  double low_, high_;
  std::vector<double> ticks_;
};

}  // namespace hasa
