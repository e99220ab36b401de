#pragma once

#include <filesystem>

#include "hasa/nn/named_tensor.h"
#include "hasa/train/train_state.h"

namespace hasa {

/// The training state between two steps, in one file written atomically: tensors
/// (model, optimiser and others), torch's generators and the counters. It carries a checksum.
void save_checkpoint(const std::filesystem::path& file, const NamedTensors& tensors, const TrainState& state,
                     const torch::Device& device);

/// Restores the tensors, the generators and the state from the file. Throws data if it is damaged or does not match
/// them.
TrainState load_checkpoint(const std::filesystem::path& file, const NamedTensors& tensors, const torch::Device& device);

}  // namespace hasa
