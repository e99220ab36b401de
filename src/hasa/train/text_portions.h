#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "hasa/dist/comm.h"
#include "hasa/input/text_inputs.h"
#include "hasa/nn/packed_tokens.h"

namespace hasa {

/// The texts in order, in micro-batches of at most `most_tokens`, 0 for a single one; on the host, pinned for a GPU.
std::vector<PackedTokens> portions_of(const PackedInputs& inputs, std::int64_t most_tokens,
                                      const torch::Device& device);

/// How many texts of each portion each process reads: [portion][rank].
using PortionShares = std::vector<std::vector<std::int64_t>>;

/// A process's share of every portion: consecutive texts, about as many tokens as each other process has.
struct SharedPortions {
  std::vector<PackedTokens> own;        // where the share is no text, one that all read and no one counts
  PortionShares shares;                 // empty for one process, which has all
  std::vector<std::int64_t> first_row;  // of each, in the order of all texts
};
SharedPortions shared_portions_of(const PackedInputs& inputs, std::int64_t most_tokens, const torch::Device& device,
                                  const Comm& comm);

/// What a step does with its portions of texts, whichever encoder reads each.
struct PortionReading {
  bool at_once = true;  // all texts are held; else each is read twice
  std::size_t portions = 0;
  std::function<torch::Tensor(std::size_t)> read;           // a micro-batch's vectors, with gradients
  std::function<torch::Tensor(const torch::Tensor&)> loss;  // of all vectors in order, [texts, hidden]
  std::function<void()> collect;                            // after each backward pass
  std::function<void()> last_pass;                          // before the last one, of several processes
  torch::Device device = torch::kCPU;                       // whose generators dropout uses
};

/// A step's loss and its gradients, with all texts held at once.
void backward_at_once(const PortionReading& step);

/// The same in less memory: first the texts' vectors without gradients, then the loss and the
/// vectors' gradients, then each micro-batch again with the same dropout, which propagates them to the weights.
void backward_in_portions(const PortionReading& step);

/// The same by several processes. Each reads its share of every portion; all get all vectors, so the loss sees the
/// whole step everywhere, and each takes the gradient of its own texts on to the weights. What the loss itself leaves
/// with weights is whole on each process, what reading leaves is a part. Dropout is that of the whole portions, so that
/// the sum of the parts is one process's gradient.
void backward_together(const PortionReading& step, const PortionShares& shares, Comm& comm);

/// By one of these, as the processes and the step want it.
void backward_of_texts(const PortionReading& step, const PortionShares& shares, Comm& comm);

}  // namespace hasa
