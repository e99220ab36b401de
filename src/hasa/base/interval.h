#pragma once

namespace hasa {

/// A confidence interval.
struct Interval {
  double low = 0, high = 0;
};

}  // namespace hasa
