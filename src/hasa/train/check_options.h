#pragma once

#include <torch/types.h>

#include "hasa/train/train_config.h"

namespace hasa {

/// Throws config for options that contradict each other or would do nothing, and warns of what is likely a mistake;
/// before anything is read, so that nobody waits to be told. What depends on a language model is checked when it
/// is opened.
void check_options(const TrainConfig& config, const torch::Device& device);

}  // namespace hasa
