#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "hasa/base/config.h"
#include "hasa/nn/named_tensor.h"

namespace hasa {

struct OptimiserConfig {
  double lr = 2e-3;
  double weight_decay = 1e-4;
  double clip = 0;
  std::int64_t warmup_steps = 0;

  template <class Visitor>
  static void fields(Visitor& field) {
    field("lr", &OptimiserConfig::lr, "rate after warm-up; it falls linearly to 0 at the last step", Range{0, 10});
    field("weight_decay", &OptimiserConfig::weight_decay, "share of a weight taken off in a step of rate 1",
          Range{0, 10});
    field("clip", &OptimiserConfig::clip,
          "greatest length of the gradient of all weights together; 0 leaves it as it is", Range{0, 1e6});
    field("warmup_steps", &OptimiserConfig::warmup_steps, "steps over which the rate rises from 0", Range{0, 1e9});
  }
};

/// The rate of step `step` of `total`: up linearly over the warm-up, then down linearly to 0.
double learning_rate(const OptimiserConfig& config, std::int64_t step, std::int64_t total);

/// AdamW with betas .9 and .999, over every parameter alike.
class AdamW {
 public:
  AdamW(NamedTensors parameters, const OptimiserConfig& config);

  /// Clips and applies the gradients the parameters hold, then lets go of them. A parameter without one
  /// is left as it is.
  void step(double rate);

  /// Moments and step count, under "mean.<name>", "square.<name>" and "steps": what a checkpoint keeps.
  NamedTensors state() const;

 private:
  NamedTensors parameters_;
  OptimiserConfig config_;
  std::vector<torch::Tensor> means_, squares_;
  torch::Tensor steps_;  // [parameters] float32: steps each has taken
};

}  // namespace hasa
