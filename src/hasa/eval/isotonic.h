#pragma once

#include <span>
#include <vector>

namespace hasa {

/// A function that never falls, fitted to points by least squares (pool adjacent violators). Between the steps of the
/// fit it is linear, outside of them constant.
class Isotonic {
 public:
  struct Knot {
    double x = 0, y = 0;
    bool operator==(const Knot&) const = default;
  };

  /// Points in any order; those of one x count as their mean. There must be at least one, and all must be finite.
  static Isotonic fit(std::span<const double> x, std::span<const double> y);
  /// From knots as knots() gives them; throws data unless they rise in x, do not fall in y, and are finite.
  explicit Isotonic(std::vector<Knot> knots);

  double operator()(double x) const;
  /// Where the function bends, from left to right.
  const std::vector<Knot>& knots() const { return knots_; }

 private:
  std::vector<Knot> knots_;
};

}  // namespace hasa
