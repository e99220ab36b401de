#pragma once

#include <torch/types.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "hasa/families/text/pair_terms.h"
#include "hasa/input/text_inputs.h"
#include "hasa/negative/step_plan.h"
#include "hasa/nn/packed_tokens.h"

namespace hasa {

/// A step's plan and tokens as tensors, on the host until moved.
struct TextStep {
  std::vector<PackedTokens> chunks;  // the texts in order, in portions that are read one after the other
  std::int64_t tokens = 0;
  std::int64_t batch = 0, columns = 0, candidates = 0;
  torch::Tensor positive;                // [batch] int64
  torch::Tensor heads;                   // [batch] int64; empty for joint queries
  torch::Tensor relations;               // [batch] int64; empty for joint queries
  torch::Tensor neighbours;              // [batch, samples] int64, or undefined
  torch::Tensor no_negatives;            // [.] int64, positions in [batch, columns]
  torch::Tensor multiplicity;            // [columns], or undefined
  torch::Tensor entities;                // [distinct] int64: the entities with columns
  torch::Tensor entity_columns;          // [distinct] int64: a column of each
  std::optional<PairTermTensors> terms;  // of [batch, columns]

  TextStep to(const torch::Device& device) const;
  /// [batch, columns] bool, on the device of the step's tensors.
  torch::Tensor negative() const;
};

/// `chunk_tokens`: most tokens read at a time, 0 for all at once. The host's tensors are pinned for a GPU.
TextStep make_text_step(const StepPlan& plan, const PackedInputs& inputs, std::int64_t chunk_tokens,
                        const torch::Device& device);

}  // namespace hasa
