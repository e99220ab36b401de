#include "hasa/families/table/table_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "hasa/base/error.h"
#include "hasa/base/memory.h"
#include "hasa/ops/core/device.h"
#include "hasa/train/row_optimiser.h"

namespace hasa {
namespace {

constexpr std::int64_t kFloat = sizeof(float);
constexpr std::int64_t kBFloat16 = 2;

/// The options that would fit, a line each.
std::string what_would_fit(const TableFamily& config, std::int64_t entities, std::int64_t relations,
                           std::int64_t bytes) {
  std::string advice;
  const auto offer = [&](const TableFamily& other, const std::string& words) {
    const std::int64_t needed = table_training_bytes(other, entities, relations);
    if (needed <= bytes) advice += fmt::format("\n--set {} fits ({})", words, format_bytes(needed));
    return needed <= bytes;
  };
  TableFamily other = config;
  std::string words;
  const bool may_sample = config.tables.needs_all_entities() == nullptr && config.optimiser.clip == 0;
  if (other.tables.training != TableTraining::negative_sampling && may_sample) {
    other.tables.training = TableTraining::negative_sampling;
    words = "tables.training=negative_sampling";
    offer(other, words);
  }
  if (other.optimiser.kind != OptimiserKind::row_adagrad) {
    other.optimiser.kind = OptimiserKind::row_adagrad;
    words += (words.empty() ? "" : " --set ") + std::string("optimiser.kind=row_adagrad");
    offer(other, words);
  }
  TableFamily smaller = config;
  if (config.model.precision == TablePrecision::bf16) {  // whose copy for ranking is larger than what it saves
    smaller.model.precision = TablePrecision::fp32;
    offer(smaller, "model.precision=fp32");
    smaller = config;
  }
  while (smaller.model.dim > 16) {
    smaller.model.dim = smaller.model.dim / 2 / 2 * 2;
    if (offer(smaller, fmt::format("model.dim={}", smaller.model.dim))) break;
  }
  return advice;
}

/// Processes share a machine's memory, and have a GPU each.
std::int64_t bytes_of_a_process(const TableFamily& config, const torch::Device& device, const Comm& comm) {
  const std::int64_t bytes = bytes_at_hand(config.memory_limit, device);
  return device.is_cpu() ? std::min(bytes, device_memory_bytes(device) / comm.local_size()) : bytes;
}

}  // namespace

std::int64_t bytes_at_hand(const std::string& memory_limit, const torch::Device& device) {
  const std::int64_t bytes = device_memory_bytes(device);
  if (memory_limit.empty()) return bytes;
  const std::int64_t limit = std::min(bytes, parse_bytes(memory_limit, "memory_limit"));
  cap_device_bytes(device, limit);
  return limit;
}

std::int64_t table_training_bytes(const TableFamily& config, std::int64_t entities, std::int64_t relations) {
  const TableModelConfig& model = config.model;
  const std::int64_t all_relations = model.reciprocal ? 2 * relations : relations;
  const bool is_bfloat16 = model.precision == TablePrecision::bf16;
  const std::int64_t tables = (entities * (is_bfloat16 ? kBFloat16 : kFloat) + all_relations * kFloat) * model.dim;
  const std::int64_t state = row_state_bytes(config.optimiser.kind, entities + all_relations, model.dim);
  const std::int64_t batch = config.train.batch;
  if (config.tables.training != TableTraining::negative_sampling) {
    // Scores, their softmax, the gradient of both; a gradient of the tables and
    // a step's root of the squares. Dropout makes a second table and its gradient.
    const std::int64_t copies = config.tables.candidate_dropout > 0 ? 5 : 3;
    return copies * tables + state + 4 * batch * entities * kFloat + kBesideTables;
  }
  const std::int64_t negatives = config.tables.negatives + 1;
  const std::int64_t candidates = batch * negatives * 40;  // ids, scores, and what sorting takes
  const std::int64_t shared = config.tables.shared > 0 ? 3 * (batch / config.tables.shared + 1) * negatives : 0;
  const std::int64_t step = candidates + (shared + 16 * batch + 2 * all_relations) * model.dim * kFloat;
  const std::int64_t ranking = is_bfloat16 ? entities * model.dim * kFloat : 0;  // between steps: a copy in float32
  return tables + state + std::max(step, ranking) + kBesideTables;
}

void check_tables_fit(const TableFamily& config, std::int64_t entities, std::int64_t relations, std::int64_t bytes) {
  const std::int64_t needed = table_training_bytes(config, entities, relations);
  if (needed <= bytes) return;
  fail(ErrorKind::unavailable,
       "training {} with dimension {} for {} entities takes about {}, but only {} is available{}",
       to_string(config.model.form), config.model.dim, entities, format_bytes(needed), format_bytes(bytes),
       what_would_fit(config, entities, relations, bytes));
}

bool shards_entities(const TableFamily& config, const Graph& graph, const torch::Device& device, Comm& comm) {
  if (comm.alone() || config.tables.training != TableTraining::negative_sampling) return false;
  if (config.tables.sharded != TableSharding::automatic) return config.tables.sharded == TableSharding::always;
  return comm.any(table_training_bytes(config, graph.entities(), graph.relations()) >
                  bytes_of_a_process(config, device, comm));
}

void check_tables_fit(const TableFamily& config, const Graph& graph, std::int64_t entities, const torch::Device& device,
                      const Comm& comm) {
  check_tables_fit(config, entities, graph.relations(), bytes_of_a_process(config, device, comm));
}

}  // namespace hasa
