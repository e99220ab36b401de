#pragma once

#include <torch/types.h>

#include <vector>

namespace hasa {

/// The states of torch's generators: the CPU's, and the GPU's if one
/// is used. Kept in checkpoints, and restored to repeat the same random draws.
struct GeneratorStates {
  std::vector<torch::Tensor> states;  // [bytes] uint8 on the CPU
  torch::Device device = torch::kCPU;

  static GeneratorStates of(const torch::Device& device);
  void restore() const;
};

}  // namespace hasa
