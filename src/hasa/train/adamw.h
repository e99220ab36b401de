#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "hasa/train/optimiser.h"

namespace hasa {

/// AdamW with betas .9 and .999; each kind of parameter has its own learning rate.
class AdamW : public Optimiser {
 public:
  AdamW(const Parameters& parameters, const OptimiserConfig& config);

  torch::Tensor step(double factor) override;
  /// Moments and step counts, under "mean.<name>", "square.<name>" and "steps.<kind>".
  NamedTensors state() const override;

 private:
  struct Group {
    std::string name;
    double rate, decay;
    NamedTensors parameters;
    std::vector<torch::Tensor> means, squares;
    torch::Tensor steps;  // [parameters] float32: steps each has taken
  };
  void apply(Group& group, double factor) const;

  OptimiserConfig config_;
  std::vector<Group> groups_;
};

}  // namespace hasa
