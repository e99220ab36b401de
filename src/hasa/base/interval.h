#pragma once

namespace hasa {

/// What a value is uncertain within.
struct Interval {
  double low = 0, high = 0;
};

}  // namespace hasa
