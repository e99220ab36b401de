#pragma once

#include <torch/types.h>

#include <cstdint>
#include <span>
#include <vector>

#include "hasa/input/text_inputs.h"
#include "hasa/kg/known_answers.h"
#include "hasa/nn/packed_tokens.h"
#include "hasa/train/text_portions.h"

namespace hasa {

/// The plan of a step, before any text is encoded: every distinct text once, and which columns are negatives of which
/// query. The columns of a query are the batch's tails, those of earlier batches, and its own head.
struct SimkgcPlan {
  std::vector<TextRequest> queries;        // distinct, for the one encoder
  std::vector<TextRequest> entities;       // distinct, for the other: tails, then heads
  std::vector<std::int64_t> query, tail;   // [batch] indices into the two
  std::vector<std::int64_t> head;          // [batch] likewise; empty without self-negatives
  std::int64_t columns = 0;                // of each query
  std::vector<std::int64_t> no_negatives;  // query * columns + column
};

/// The inputs of planning a step.
struct SimkgcCandidates {
  std::span<const Triple> batch;
  std::span<const EntityId> earlier;  // tails of earlier batches, -1 for none
  bool heads = true;                  // each query's own head is a negative
};

/// Neither the text of a query nor that of its answer names the other entity of its triple. `known`: training answers.
SimkgcPlan plan_simkgc_step(const SimkgcCandidates& step, const KnownAnswers& known, const TextInputs& inputs);

/// The plan as tensors and tokens, on the host until moved to the device.
struct SimkgcStep {
  std::vector<PackedTokens> portions;  // those of the queries, then those of the entities
  PortionShares shares;                // of several processes, which have a share of each portion; else empty
  std::size_t query_portions = 0;
  std::int64_t tokens = 0, columns = 0;
  torch::Tensor query, tail, head;  // [batch] int64; head may be undefined
  torch::Tensor no_negatives;       // [.] int64, positions in [batch, columns]

  SimkgcStep to(const torch::Device& device) const;
  /// [batch, columns] bool, on the device of the step's tensors.
  torch::Tensor negative() const;
};

/// `seed`: for the random choices in the texts. Of several processes each gets its share of the texts, and all else
/// whole.
SimkgcStep make_simkgc_step(const SimkgcPlan& plan, const TextInputs& inputs, std::uint64_t seed,
                            std::int64_t chunk_tokens, const torch::Device& device, const Comm& comm = one_process());

}  // namespace hasa
