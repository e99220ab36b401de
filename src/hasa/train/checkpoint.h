#pragma once

#include <filesystem>

#include "hasa/nn/named_tensor.h"
#include "hasa/train/train_state.h"

namespace hasa {

/// A training between two steps, in one file that appears whole or not at all: the tensors (model, optimiser,
/// whatever else), torch's generators and the state. It carries a checksum.
void save_checkpoint(const std::filesystem::path& file, const NamedTensors& tensors, const TrainState& state,
                     const torch::Device& device);

/// Fills the tensors, the generators and the state from the file. Throws data when it is damaged or does not fit them.
TrainState load_checkpoint(const std::filesystem::path& file, const NamedTensors& tensors, const torch::Device& device);

}  // namespace hasa
