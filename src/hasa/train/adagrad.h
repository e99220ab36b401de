#pragma once

#include <torch/types.h>

#include <vector>

#include "hasa/train/optimiser.h"

namespace hasa {

/// Adagrad over dense gradients. All parameters use the learning rate
/// optimiser.lr. The update rules are those of ops/table/row_rule.h, for every row.
class Adagrad : public Optimiser {
 public:
  Adagrad(const Parameters& parameters, const OptimiserConfig& config);

  torch::Tensor step(double factor) override;
  /// Sums of squares, under "square.<name>".
  NamedTensors state() const override;

 private:
  OptimiserConfig config_;
  NamedTensors parameters_;
  std::vector<torch::Tensor> squares_;
};

}  // namespace hasa
