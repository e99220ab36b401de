#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "hasa/nn/parameter.h"

namespace hasa {

/// The average of a model's weights over the steps of a run, in float32:
///
///   a_1 = w_1,   a_n = k a_{n-1} + (1 - k) w_n   with   k = min(decay, (n - 1) / n)
///
/// So it is the plain mean until the n-th step makes that longer than the exponential average that `decay` stands for;
/// with a decay of 1 it stays the plain mean. Weights of a language model that are not trained are left out.
class WeightAverage {
 public:
  WeightAverage(const Parameters& parameters, double decay);

  /// Takes the weights in as a step has left them.
  void add();
  /// Puts the averages in the place of the weights, or the weights back, to the bit. Before the first step nothing.
  void exchange();

  /// What a checkpoint keeps; never while exchanged.
  NamedTensors state() const;

 private:
  std::int64_t steps_taken() const { return steps_.item<std::int64_t>(); }

  double decay_;
  NamedTensors weights_;
  std::vector<torch::Tensor> averages_;
  torch::Tensor steps_;              // [1] int64 on the CPU
  std::vector<torch::Tensor> held_;  // the weights, while the averages are in their place
};

}  // namespace hasa
