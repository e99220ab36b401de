#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>

#include "hasa/families/table/table_family.h"
#include "hasa/kg/graph.h"

namespace hasa {

/// Memory of the device, or `memory_limit`, which the device enforces from then on.
std::int64_t bytes_at_hand(const std::string& memory_limit, const torch::Device& device);

/// A CUDA context, code and libraries' own buffers; or the program and a graph's arrays.
constexpr std::int64_t kBesideTables = std::int64_t{1} << 30;

/// The device memory needed for training: tables, gradients, the optimiser's state, and the scores of a
/// step, or, if that is more, the float32 copy of a bfloat16 table used in validation.
std::int64_t table_training_bytes(const TableFamily& config, std::int64_t entities, std::int64_t relations);

/// Whether the processes of a job shard the entities (tables.sharded). Every process calls it.
bool shards_entities(const TableFamily& config, const Graph& graph, const torch::Device& device, Comm& comm);

/// Throws unavailable, with the size needed and options that
/// would fit, if the device (or memory_limit) has less than `entities` of them take.
void check_tables_fit(const TableFamily& config, const Graph& graph, std::int64_t entities, const torch::Device& device,
                      const Comm& comm);
/// The same for a memory of `bytes`.
void check_tables_fit(const TableFamily& config, std::int64_t entities, std::int64_t relations, std::int64_t bytes);

}  // namespace hasa
