#pragma once

#include <filesystem>
#include <functional>

#include "hasa/dist/comm.h"
#include "hasa/nn/named_tensor.h"
#include "hasa/train/train_state.h"

namespace hasa {

/// The training state between two steps, in one file written atomically: tensors
/// (model, optimiser and others), torch's generators and the counters. It carries a checksum. Of several processes all
/// call it, and rank 0 writes the file, which is the same however they are sharded.
void save_checkpoint(const std::filesystem::path& file, const NamedTensors& tensors, const TrainState& state,
                     const torch::Device& device, Comm& comm = one_process());

/// The state in the file alone, whose checksum is not verified.
TrainState read_state(const std::filesystem::path& file);

/// Restores the tensors, the generators and the state from the file, of sharded tensors rank 0's rows, which alone
/// calls it. Throws data if it is damaged or does not match them. Where `is_earlier` says of the state that it is of a
/// graph from which the tensors' graph has grown, the tensors may have grown with it (copy_into_grown).
TrainState load_checkpoint(const std::filesystem::path& file, const NamedTensors& tensors, const torch::Device& device,
                           const std::function<bool(const TrainState&)>& is_earlier = nullptr);

}  // namespace hasa
