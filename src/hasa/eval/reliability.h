#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hasa {

/// How far stated probabilities agree with what came true.
struct Reliability {
  struct Bin {
    std::int64_t answers = 0;
    double stated = 0;  // mean probability
    double came_true = 0;
    double least = 0, greatest = 0;  // of the probabilities
  };
  std::int64_t answers = 0;
  double base_rate = 0;           // share that came true
  double calibration_error = 0;   // expected: mean of |stated - came_true| over the bins, by their answers
  double brier = 0;               // mean square of probability minus 0 or 1
  double brier_of_base_rate = 0;  // of who always states the base rate
  std::vector<Bin> bins;          // of equal mass, by rising probability
};

/// Throws shape where the two are not as long as each other. Equal probabilities may fall into two bins; which of them
/// then come first is their order here.
Reliability reliability_of(std::span<const double> stated, std::span<const std::uint8_t> came_true,
                           std::int64_t bins = 15);

}  // namespace hasa
