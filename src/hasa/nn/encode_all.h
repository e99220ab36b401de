#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>

#include "hasa/nn/encoder.h"
#include "hasa/nn/packed_tokens.h"
#include "hasa/nn/pooling.h"

namespace hasa {

struct EncodeAllOptions {
  Pooling pooling = Pooling::mean;
  std::int64_t tokens_per_batch = 0;                 // 0: what suits the device
  std::function<void(std::int64_t texts)> progress;  // after each batch, with its texts; from any thread
};

/// One vector for each row, [rows, hidden] float32 on the encoder's device, without gradients. Rows are
/// batched by length and come back in the order given; a row's vector does not depend on its neighbours
/// beyond rounding. Rows longer than the model's positions, empty rows and ids outside the vocabulary are
/// errors of kind data that name the row.
torch::Tensor encode_all(const Encoder& encoder, const TokenRows& rows, const EncodeAllOptions& options = {});

/// Whether bfloat16 is worth choosing on this machine's CPU: it has the instructions. Without them an
/// encoder in bfloat16 still works, more slowly than in float32.
bool cpu_has_bfloat16();

}  // namespace hasa
