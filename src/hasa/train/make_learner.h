#pragma once

#include <memory>

#include "hasa/kg/graph.h"
#include "hasa/train/learner.h"
#include "hasa/train/train_config.h"

namespace hasa {

/// What a config trains, its new weights drawn from the config's seed. The graph must outlive it. Whatever is wrong
/// with the options or the language model shows here. A frozen model's texts are read, or found with the graph.
std::unique_ptr<Learner> make_learner(const TrainConfig& config, const Graph& graph, const torch::Device& device);

}  // namespace hasa
