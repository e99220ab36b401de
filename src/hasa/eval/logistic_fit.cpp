#include "hasa/eval/logistic_fit.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "hasa/base/error.h"

namespace hasa {
namespace {

constexpr int kNewtonSteps = 50, kHalvings = 40;
constexpr double kSmallStep = 1e-10;

using Numbers = std::vector<double>;

double inner(const double* a, const Numbers& b) {
  double sum = 0;
  for (std::size_t i = 0; i < b.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// log(1 + e^x)
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

struct LogisticProblem {
  std::span<const double> features;
  std::size_t width;
  std::span<const std::uint8_t> outcomes;
  double penalty;

  double value(const Numbers& weights) const {
    double sum = penalty / 2 * inner(weights.data(), weights);
    for (std::size_t r = 0; r < outcomes.size(); ++r) {
      const double z = inner(&features[r * width], weights);
      sum += softplus(outcomes[r] != 0 ? -z : z);
    }
    return sum;
  }

  void derivatives(const Numbers& weights, Numbers& gradient, Numbers& hessian) const {
    gradient.assign(width, 0);
    hessian.assign(width * width, 0);
    for (std::size_t r = 0; r < outcomes.size(); ++r) {
      const double* x = &features[r * width];
      const double p = sigmoid(inner(x, weights)), off = p - (outcomes[r] != 0 ? 1 : 0), curve = p * (1 - p);
      for (std::size_t i = 0; i < width; ++i) {
        gradient[i] += off * x[i];
        for (std::size_t j = 0; j <= i; ++j) hessian[i * width + j] += curve * x[i] * x[j];
      }
    }
    for (std::size_t i = 0; i < width; ++i) {
      gradient[i] += penalty * weights[i];
      hessian[i * width + i] += penalty;
    }
  }
};

/// Solves h x = b in place for a positive definite h of which the lower triangle is given: Cholesky.
void solve_in_place(Numbers& h, Numbers& b) {
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = h[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= h[i * n + k] * h[j * n + k];
      h[i * n + j] = i == j ? std::sqrt(std::max(sum, 1e-300)) : sum / h[j * n + j];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= h[i * n + k] * b[k];
    b[i] /= h[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= h[k * n + i] * b[k];
    b[i] /= h[i * n + i];
  }
}

}  // namespace

double sigmoid(double x) {
  const double e = std::exp(-std::abs(x));
  return x >= 0 ? 1 / (1 + e) : e / (1 + e);
}

std::vector<double> fit_logistic(std::span<const double> features, std::size_t width,
                                 std::span<const std::uint8_t> outcomes, double penalty) {
  HASA_CHECK(features.size() == width * outcomes.size(), shape, "a logistic fit of {} features for {} rows of {}",
             features.size(), outcomes.size(), width);
  const LogisticProblem problem{features, width, outcomes, penalty};
  Numbers weights(width, 0), step, hessian;
  double value = problem.value(weights);
  for (int n = 0; n < kNewtonSteps; ++n) {
    problem.derivatives(weights, step, hessian);
    solve_in_place(hessian, step);
    double size = 1, moved = 0;
    for (int halved = 0; halved < kHalvings; ++halved, size /= 2) {
      Numbers next = weights;
      for (std::size_t i = 0; i < width; ++i) next[i] -= size * step[i];
      const double there = problem.value(next);
      if (there > value) continue;
      for (std::size_t i = 0; i < width; ++i) moved = std::max(moved, std::abs(next[i] - weights[i]));
      weights = std::move(next);
      value = there;
      break;
    }
    if (moved < kSmallStep) break;
  }
  return weights;
}

}  // namespace hasa
