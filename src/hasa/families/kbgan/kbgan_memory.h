#pragma once

#include <torch/types.h>

#include <cstdint>

#include "hasa/families/kbgan/kbgan_family.h"
#include "hasa/kg/graph.h"

namespace hasa {

/// The device memory needed to train both players.
std::int64_t kbgan_training_bytes(const KbganFamily& config, std::int64_t entities, std::int64_t relations);

/// Throws unavailable, with the size needed and options that
/// would fit, if the device (or memory_limit) has less.
void check_players_fit(const KbganFamily& config, const Graph& graph, const torch::Device& device);
/// The same for a memory of `bytes`.
void check_players_fit(const KbganFamily& config, std::int64_t entities, std::int64_t relations, std::int64_t bytes);

}  // namespace hasa
