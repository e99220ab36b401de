#pragma once

#include <span>
#include <vector>

namespace hasa {

/// A monotone function fitted to points by least squares (pool
/// adjacent violators). Linear between the knots of the fit, constant outside.
class Isotonic {
 public:
  struct Knot {
    double x = 0, y = 0;
    bool operator==(const Knot&) const = default;
  };

  /// Points in any order; those with the same x are averaged. At least one, all finite.
  static Isotonic fit(std::span<const double> x, std::span<const double> y);
  /// From knots as returned by knots(); throws data unless they increase in x, do not decrease in y, and are finite.
  explicit Isotonic(std::vector<Knot> knots);

  double operator()(double x) const;
  /// The knots, from left to right.
  const std::vector<Knot>& knots() const { return knots_; }

 private:
  std::vector<Knot> knots_;
};

}  // namespace hasa
