#pragma once

#include <cstdint>

#include "hasa/input/text_inputs.h"
#include "hasa/nn/encoder_config.h"

namespace hasa {

struct MemoryPlan {
  EncoderConfig encoder;
  std::int64_t trained_layers = 0;  // of its last; all of them: the embeddings too
  std::int64_t element_bytes = 2;   // of the passes: 4 in float32
  std::int64_t encoders = 1;        // of this shape, with weights of their own
};

/// How many tokens a micro-batch may have so that fine-tuning a language model stays within `bytes` of
/// GPU memory: what is left after weights, gradients, moments and the graph's embeddings, divided by what the
/// backward pass keeps per token. Throws unavailable, with the size needed, if not even the longest text fits.
std::int64_t tokens_within(std::int64_t bytes, const MemoryPlan& plan, const TextInputs& inputs);

}  // namespace hasa
