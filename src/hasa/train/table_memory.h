#pragma once

#include "hasa/kg/graph.h"
#include "hasa/model/kbgan_model.h"
#include "hasa/model/table_model.h"
#include "hasa/train/train_config.h"

namespace hasa {

/// What training takes of a device's memory: tables, gradients, the optimiser's state, and the scores of a step, or,
/// where that is more, the float32 copy of a bfloat16 table that validation ranks by.
std::int64_t table_training_bytes(const TrainConfig& config, const TableModelConfig& model, std::int64_t entities,
                                  std::int64_t relations);

std::int64_t kbgan_training_bytes(const TrainConfig& config, const KbganConfig& model, std::int64_t entities,
                                  std::int64_t relations);

/// Throws unavailable, with the size needed and the options that would fit, where the device (or memory_limit) has
/// less.
void check_tables_fit(const TrainConfig& config, const TableModelConfig& model, const Graph& graph,
                      const torch::Device& device);
void check_tables_fit(const TrainConfig& config, const KbganConfig& model, const Graph& graph,
                      const torch::Device& device);

/// The same for a memory of `bytes`.
void check_tables_fit(const TrainConfig& config, const TableModelConfig& model, std::int64_t entities,
                      std::int64_t relations, std::int64_t bytes);
void check_tables_fit(const TrainConfig& config, const KbganConfig& model, std::int64_t entities,
                      std::int64_t relations, std::int64_t bytes);

}  // namespace hasa
