#pragma once

#include <filesystem>
#include <memory>

#include "hasa/families/table/table_model.h"
#include "hasa/kg/graph.h"
#include "hasa/model/sharded_scorer.h"

namespace hasa {

/// Of a sharded model, with its current parameters.
std::unique_ptr<ShardedScorer> sharded_table_scorer(const TableModel& model, Comm& comm);

/// The same from a run's weights, of which each process reads its shard.
std::unique_ptr<ShardedScorer> open_sharded_table_scorer(const TableModelConfig& config,
                                                         const std::filesystem::path& weights, const Graph& graph,
                                                         const torch::Device& device, Comm& comm);

}  // namespace hasa
