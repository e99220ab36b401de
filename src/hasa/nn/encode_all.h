#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>

#include "hasa/nn/encoder.h"
#include "hasa/nn/frozen_encoder.h"
#include "hasa/nn/packed_tokens.h"
#include "hasa/nn/pooling.h"

namespace hasa {

/// Rows of the first layer for soft tokens by their keys: [soft tokens] int64 -> [soft tokens, hidden], in the
/// encoder's precision. Called from any thread.
using SoftRows = std::function<torch::Tensor(const torch::Tensor& keys)>;

struct EncodeAllOptions {
  Pooling pooling = Pooling::mean;
  std::int64_t tokens_per_batch = 0;  // 0: chosen for the device
  std::function<void(std::int64_t texts)>
      progress;                     // called after each batch, with its number of texts; from any thread
  std::function<bool()> stop;       // called before each batch, from any thread: true throws Stopped
  std::filesystem::path journal;    // stores vectors as they are computed (base/row_journal.h); empty: none
  std::uint64_t journal_stamp = 0;  // of the encoder, the rows and the pooling
  SoftRows soft_rows;               // of rows with soft tokens
};

/// A good batch size for a device, in tokens.
std::int64_t tokens_per_batch(torch::Device device);

/// One vector for each row, [rows, hidden] float32 on the encoder's device, without gradients. Rows are
/// batched by length and come back in the order given; a row's vector does not depend on its neighbours
/// beyond rounding. Rows longer than the model's positions, empty rows and ids outside the vocabulary, or of soft
/// tokens that do not exist, are errors of kind data that name the row. With a journal an interrupted or killed call is
/// resumed by the next one, which makes the same batches of the same rows and so gives the same vectors; the caller
/// deletes it after storing them.
torch::Tensor encode_all(const FrozenEncoder& encoder, const TokenRows& rows, const EncodeAllOptions& options = {});
/// The same, preparing the encoder for this call only.
torch::Tensor encode_all(const Encoder& encoder, const TokenRows& rows, const EncodeAllOptions& options = {});

}  // namespace hasa
