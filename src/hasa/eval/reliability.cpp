#include "hasa/eval/reliability.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hasa/base/error.h"

namespace hasa {

Reliability reliability_of(std::span<const double> stated, std::span<const std::uint8_t> came_true, std::int64_t bins) {
  HASA_CHECK(stated.size() == came_true.size(), shape, "{} probabilities of {} answers", stated.size(),
             came_true.size());
  Reliability result;
  const std::size_t n = stated.size();
  if (n == 0) return result;
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return stated[a] < stated[b]; });
  const auto parts = std::min(n, static_cast<std::size_t>(bins));
  double truths = 0, squares = 0, gaps = 0;
  for (std::size_t b = 0; b < parts; ++b) {
    const std::size_t first = n * b / parts, last = n * (b + 1) / parts;
    Reliability::Bin bin{.least = stated[order[first]], .greatest = stated[order[last - 1]]};
    for (std::size_t i = first; i < last; ++i) {
      const double truth = came_true[order[i]] != 0 ? 1 : 0, p = stated[order[i]];
      bin.stated += p;
      bin.came_true += truth;
      squares += (p - truth) * (p - truth);
    }
    truths += bin.came_true;
    gaps += std::abs(bin.stated - bin.came_true);
    bin.answers = static_cast<std::int64_t>(last - first);
    bin.stated /= static_cast<double>(bin.answers);
    bin.came_true /= static_cast<double>(bin.answers);
    result.bins.push_back(bin);
  }
  const auto count = static_cast<double>(n);
  result.answers = static_cast<std::int64_t>(n);
  result.base_rate = truths / count;
  result.calibration_error = gaps / count;
  result.brier = squares / count;
  result.brier_of_base_rate = result.base_rate * (1 - result.base_rate);
  return result;
}

}  // namespace hasa
