#include "hasa/train/table_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "hasa/base/error.h"
#include "hasa/base/memory.h"
#include "hasa/ops/device.h"
#include "hasa/train/row_optimiser.h"

namespace hasa {
namespace {

constexpr std::int64_t kFloat = sizeof(float);
constexpr std::int64_t kBFloat16 = 2;
/// A CUDA context, code and libraries' own buffers; or the program and a graph's arrays.
constexpr std::int64_t kBeside = std::int64_t{1} << 30;

/// The options that would fit, a line each.
std::string what_would_fit(const TrainConfig& config, const TableModelConfig& model, std::int64_t entities,
                           std::int64_t relations, std::int64_t bytes) {
  std::string advice;
  const auto offer = [&](const TrainConfig& other, const TableModelConfig& smaller, const std::string& words) {
    const std::int64_t needed = table_training_bytes(other, smaller, entities, relations);
    if (needed <= bytes) advice += fmt::format("\n--set {} fits ({})", words, format_bytes(needed));
    return needed <= bytes;
  };
  TrainConfig other = config;
  std::string words;
  const bool may_sample = config.tables.needs_all_entities() == nullptr && config.optimiser.clip == 0;
  if (other.tables.training != TableTraining::negative_sampling && may_sample) {
    other.tables.training = TableTraining::negative_sampling;
    words = "tables.training=negative_sampling";
    offer(other, model, words);
  }
  if (other.optimiser.kind != OptimiserKind::row_adagrad) {
    other.optimiser.kind = OptimiserKind::row_adagrad;
    words += (words.empty() ? "" : " --set ") + std::string("optimiser.kind=row_adagrad");
    offer(other, model, words);
  }
  TableModelConfig smaller = model;
  if (model.precision == TablePrecision::bf16) {  // whose copy for ranking is larger than what it saves
    smaller.precision = TablePrecision::fp32;
    offer(config, smaller, "model.precision=fp32");
    smaller = model;
  }
  while (smaller.dim > 16) {
    smaller.dim = smaller.dim / 2 / 2 * 2;
    if (offer(config, smaller, fmt::format("model.dim={}", smaller.dim))) break;
  }
  return advice;
}

/// Of the device, or of what memory_limit leaves of it.
std::int64_t bytes_at_hand(const TrainConfig& config, const torch::Device& device) {
  const std::int64_t bytes = device_memory_bytes(device);
  if (config.memory_limit.empty()) return bytes;
  const std::int64_t limit = std::min(bytes, parse_bytes(config.memory_limit, "memory_limit"));
  cap_device_bytes(device, limit);
  return limit;
}

}  // namespace

std::int64_t kbgan_training_bytes(const TrainConfig& config, const KbganConfig& model, std::int64_t entities,
                                  std::int64_t relations) {
  const bool transd = model.discriminator == KbganDiscriminator::transd;
  const std::int64_t numbers = (transd ? 2 : 1) * model.dim + model.generator_dim;
  const std::int64_t tables = (entities + relations) * numbers * kFloat;
  // The candidates' vectors, their products and the gradients of both, for each player.
  const std::int64_t step = 4 * config.train.batch * (model.candidates + 1) * numbers * kFloat;
  // Ranking by TransD takes entities twice as long.
  const std::int64_t ranking = transd ? 2 * entities * model.dim * kFloat : 0;
  return 2 * tables + row_state_bytes(config.optimiser.kind, entities + relations, numbers) + std::max(step, ranking) +
         kBeside;
}

std::int64_t table_training_bytes(const TrainConfig& config, const TableModelConfig& model, std::int64_t entities,
                                  std::int64_t relations) {
  const std::int64_t all_relations = model.reciprocal ? 2 * relations : relations;
  const bool is_bfloat16 = model.precision == TablePrecision::bf16;
  const std::int64_t tables = (entities * (is_bfloat16 ? kBFloat16 : kFloat) + all_relations * kFloat) * model.dim;
  const std::int64_t state = row_state_bytes(config.optimiser.kind, entities + all_relations, model.dim);
  const std::int64_t batch = config.train.batch;
  if (config.tables.training != TableTraining::negative_sampling) {
    // Scores, their softmax, the gradient of both; a gradient of the tables and a step's root of the squares.
    // Hidden numbers make a second table and its gradient.
    const std::int64_t copies = config.tables.candidate_dropout > 0 ? 5 : 3;
    return copies * tables + state + 4 * batch * entities * kFloat + kBeside;
  }
  const std::int64_t negatives = config.tables.negatives + 1;
  const std::int64_t candidates = batch * negatives * 40;  // ids, scores, and what sorting takes
  const std::int64_t shared = config.tables.shared > 0 ? 3 * (batch / config.tables.shared + 1) * negatives : 0;
  const std::int64_t step = candidates + (shared + 16 * batch + 2 * all_relations) * model.dim * kFloat;
  const std::int64_t ranking = is_bfloat16 ? entities * model.dim * kFloat : 0;  // between steps: a copy in float32
  return tables + state + std::max(step, ranking) + kBeside;
}

void check_tables_fit(const TrainConfig& config, const TableModelConfig& model, std::int64_t entities,
                      std::int64_t relations, std::int64_t bytes) {
  const std::int64_t needed = table_training_bytes(config, model, entities, relations);
  if (needed <= bytes) return;
  fail(ErrorKind::unavailable, "training {} of {} numbers for {} entities takes about {}, but there are {}{}",
       to_string(model.form), model.dim, entities, format_bytes(needed), format_bytes(bytes),
       what_would_fit(config, model, entities, relations, bytes));
}

void check_tables_fit(const TrainConfig& config, const TableModelConfig& model, const Graph& graph,
                      const torch::Device& device) {
  check_tables_fit(config, model, graph.entities(), graph.relations(), bytes_at_hand(config, device));
}

void check_tables_fit(const TrainConfig& config, const KbganConfig& model, std::int64_t entities,
                      std::int64_t relations, std::int64_t bytes) {
  const std::int64_t needed = kbgan_training_bytes(config, model, entities, relations);
  if (needed <= bytes) return;
  KbganConfig smaller = model;
  std::string advice;
  while (advice.empty() && smaller.dim > 16) {
    smaller.dim /= 2;
    smaller.generator_dim = std::max<std::int64_t>(2, smaller.generator_dim / 2 / 2 * 2);
    const std::int64_t less = kbgan_training_bytes(config, smaller, entities, relations);
    if (less <= bytes) {
      advice = fmt::format("\n--set model.dim={} --set model.generator_dim={} fits ({})", smaller.dim,
                           smaller.generator_dim, format_bytes(less));
    }
  }
  fail(ErrorKind::unavailable, "training KBGAN of {} and {} numbers for {} entities takes about {}, but there are {}{}",
       model.dim, model.generator_dim, entities, format_bytes(needed), format_bytes(bytes), advice);
}

void check_tables_fit(const TrainConfig& config, const KbganConfig& model, const Graph& graph,
                      const torch::Device& device) {
  check_tables_fit(config, model, graph.entities(), graph.relations(), bytes_at_hand(config, device));
}

}  // namespace hasa
