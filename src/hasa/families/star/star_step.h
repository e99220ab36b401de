#pragma once

#include <torch/types.h>

#include <cstdint>
#include <span>
#include <vector>

#include "hasa/base/rng.h"
#include "hasa/input/text_inputs.h"
#include "hasa/kg/known_answers.h"
#include "hasa/nn/packed_tokens.h"
#include "hasa/train/text_portions.h"

namespace hasa {

/// For each triple its own tail, then `negatives` random entities that do not
/// make a known triple; -1 if none is found in some hundred draws. [triples * (1 + negatives)]
std::vector<EntityId> with_false_tails(std::span<const Triple> batch, std::int64_t negatives, EntityId entities,
                                       const KnownAnswers& known, Rng& rng);

/// The plan of a step, before any text is encoded: every distinct text once, queries before entities.
struct StarPlan {
  std::vector<TextRequest> texts;
  std::vector<std::int64_t> query;       // [batch] place of each query's text
  std::vector<std::int64_t> candidates;  // [batch * (1 + negatives)] places of entities' texts; -1 for none
};
/// candidates: as returned by with_false_tails.
StarPlan plan_star_step(std::span<const Triple> batch, std::span<const EntityId> candidates);

/// The plan as tensors and tokens, on the host until moved to the device.
struct StarStep {
  std::vector<PackedTokens> portions;
  PortionShares shares;  // of several processes, which have a share of each portion; else empty
  std::int64_t tokens = 0;
  torch::Tensor query;       // [batch] int64
  torch::Tensor candidates;  // [batch, 1 + negatives] int64, -1 for none

  StarStep to(const torch::Device& device) const;
};
/// Of several processes each gets its share of the texts, and all else whole.
StarStep make_star_step(const StarPlan& plan, const TextInputs& inputs, std::int64_t chunk_tokens,
                        const torch::Device& device, const Comm& comm = one_process());

}  // namespace hasa
