#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hasa {

/// How well predicted probabilities agree with outcomes.
struct Reliability {
  struct Bin {
    std::int64_t answers = 0;
    double stated = 0;  // mean probability
    double came_true = 0;
    double least = 0, greatest = 0;  // of the probabilities
  };
  std::int64_t answers = 0;
  double base_rate = 0;  // fraction true
  double calibration_error =
      0;  // expected calibration error: mean of |stated - came_true| over the bins, weighted by their answers
  double brier = 0;               // Brier score: mean squared difference to 0 or 1
  double brier_of_base_rate = 0;  // Brier score of always predicting the base rate
  std::vector<Bin> bins;          // of equal mass, by ascending probability
};

/// Throws shape if the lengths differ. Equal probabilities may
/// fall into two bins, in the order given here.
Reliability reliability_of(std::span<const double> stated, std::span<const std::uint8_t> came_true,
                           std::int64_t bins = 15);

}  // namespace hasa
