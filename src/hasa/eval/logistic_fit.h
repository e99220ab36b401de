#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hasa {

/// 1 / (1 + e^-x), without overflow.
double sigmoid(double x);

/// The weights w that minimise, over rows of features x with outcomes y,
///
///   sum of -log P(y | w . x)  +  penalty / 2 * |w|^2,   P(1 | z) = sigmoid(z)
///
/// by Newton's method; the function is strictly convex for a penalty above 0. features: [rows, width], row-major; a
/// feature that is always 1 gives a constant.
std::vector<double> fit_logistic(std::span<const double> features, std::size_t width,
                                 std::span<const std::uint8_t> outcomes, double penalty);

}  // namespace hasa
