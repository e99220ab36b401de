#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "hasa/input/text_inputs.h"
#include "hasa/nn/packed_tokens.h"

namespace hasa {

/// The texts in order, in micro-batches of at most `most_tokens`, 0 for a single one; on the host, pinned for a GPU.
std::vector<PackedTokens> portions_of(const PackedInputs& inputs, std::int64_t most_tokens,
                                      const torch::Device& device);

/// What a step does with its portions of texts, whichever encoder reads each.
struct PortionReading {
  std::size_t portions = 0;
  std::function<torch::Tensor(std::size_t)> read;           // a micro-batch's vectors, with gradients
  std::function<torch::Tensor(const torch::Tensor&)> loss;  // of all vectors in order, [texts, hidden]
  std::function<void()> collect;                            // after each backward pass
  torch::Device device = torch::kCPU;                       // whose generators dropout uses
};

/// A step's loss and its gradients, with all texts held at once.
void backward_at_once(const PortionReading& step);

/// The same in less memory: first the texts' vectors without gradients, then the loss and the
/// vectors' gradients, then each micro-batch again with the same dropout, which propagates them to the weights.
void backward_in_portions(const PortionReading& step);

}  // namespace hasa
