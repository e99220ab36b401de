#include "hasa/families/kbgan/kbgan_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "hasa/base/error.h"
#include "hasa/base/memory.h"
#include "hasa/families/table/table_memory.h"
#include "hasa/train/row_optimiser.h"

namespace hasa {
namespace {

constexpr std::int64_t kNumber = sizeof(float);

/// Halved until it fits; "" where nothing does.
std::string what_would_fit(const KbganFamily& config, std::int64_t entities, std::int64_t relations,
                           std::int64_t bytes) {
  KbganFamily smaller = config;
  while (smaller.model.dim > 16) {
    smaller.model.dim /= 2;
    smaller.model.generator_dim = std::max<std::int64_t>(2, smaller.model.generator_dim / 2 / 2 * 2);
    const std::int64_t needed = kbgan_training_bytes(smaller, entities, relations);
    if (needed <= bytes) {
      return fmt::format("\n--set model.dim={} --set model.generator_dim={} fits ({})", smaller.model.dim,
                         smaller.model.generator_dim, format_bytes(needed));
    }
  }
  return "";
}

}  // namespace

std::int64_t kbgan_training_bytes(const KbganFamily& config, std::int64_t entities, std::int64_t relations) {
  const KbganModelConfig& model = config.model;
  const bool transd = model.discriminator == KbganDiscriminator::transd;
  const std::int64_t numbers = (transd ? 2 : 1) * model.dim + model.generator_dim;
  const std::int64_t tables = (entities + relations) * numbers * kNumber;
  // The candidates' vectors, their products and the gradients of both, for each player.
  const std::int64_t step = 4 * config.train.batch * (model.candidates + 1) * numbers * kNumber;
  // Ranking by TransD takes entities twice as long.
  const std::int64_t ranking = transd ? 2 * entities * model.dim * kNumber : 0;
  return 2 * tables + row_state_bytes(config.optimiser.kind, entities + relations, numbers) + std::max(step, ranking) +
         kBesideTables;
}

void check_players_fit(const KbganFamily& config, std::int64_t entities, std::int64_t relations, std::int64_t bytes) {
  const std::int64_t needed = kbgan_training_bytes(config, entities, relations);
  if (needed <= bytes) return;
  fail(ErrorKind::unavailable,
       "training KBGAN with dimensions {} and {} for {} entities takes about {}, but only {} is available{}",
       config.model.dim, config.model.generator_dim, entities, format_bytes(needed), format_bytes(bytes),
       what_would_fit(config, entities, relations, bytes));
}

void check_players_fit(const KbganFamily& config, const Graph& graph, const torch::Device& device) {
  check_players_fit(config, graph.entities(), graph.relations(), bytes_at_hand(config.memory_limit, device));
}

}  // namespace hasa
