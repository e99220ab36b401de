#pragma once

#include <filesystem>

#include "hasa/nn/named_tensor.h"
#include "hasa/train/train_state.h"

namespace hasa {

/// A training between two steps, in one file that appears whole or not at all: model, optimiser, torch's
/// generators and the state.
void save_checkpoint(const std::filesystem::path& file, const NamedTensors& model, const NamedTensors& optimiser,
                     const TrainState& state, const torch::Device& device);

/// Fills the tensors, the generators and the state from the file. Throws data when it does not fit them.
TrainState load_checkpoint(const std::filesystem::path& file, const NamedTensors& model, const NamedTensors& optimiser,
                           const torch::Device& device);

}  // namespace hasa
