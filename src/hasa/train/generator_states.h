#pragma once

#include <torch/types.h>

#include <vector>

namespace hasa {

/// Where torch's generators stand: the CPU's, and that of a GPU where one is used. Kept in checkpoints, and put back
/// to make the same random choices again.
struct GeneratorStates {
  std::vector<torch::Tensor> states;  // [bytes] uint8 on the CPU
  torch::Device device = torch::kCPU;

  static GeneratorStates of(const torch::Device& device);
  void restore() const;
};

}  // namespace hasa
