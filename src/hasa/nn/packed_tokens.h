#pragma once

#include <torch/types.h>

#include <cstdint>
#include <span>
#include <vector>

namespace hasa {

/// Texts laid end to end without padding: text i is ids[offsets[i] .. offsets[i + 1]). Every text has at
/// least one token and its special tokens are already in place.
struct PackedTokens {
  torch::Tensor ids;         // [tokens] int32 or int64; -1 - i: soft token i, which is no word
  torch::Tensor offsets;     // [texts + 1] int32, from 0 to tokens
  torch::Tensor segments;    // [tokens] like ids: token types; undefined: all 0
  std::int64_t longest = 0;  // tokens of the longest text, known on the host
  torch::Tensor spans;       // [texts, 2 parts] int32: first token and end of parts of each text, rising; or undefined
  /// Tokens and texts before the first where these texts are a part of a batch that several processes share: each loses
  /// to dropout what it would lose in the whole batch.
  std::int64_t first_token = 0, first_text = 0;
  /// Soft tokens: [soft tokens] int64, by which their owner tells what row of the first layer each gets; or undefined.
  torch::Tensor soft = {};

  std::int64_t tokens() const { return ids.size(0); }
  std::int64_t texts() const { return offsets.size(0) - 1; }

  PackedTokens to(torch::Device device) const;
  /// On the CPU in pinned memory, for asynchronous copies to a GPU.
  PackedTokens pinned() const;
};

/// [tokens] int64: each token's place in its text, from 0.
torch::Tensor positions_in_text(const PackedTokens& tokens);

/// Ragged rows in host memory: row i is ids[offsets[i] .. offsets[i + 1]).
struct TokenRows {
  std::span<const std::int32_t> ids;
  std::span<const std::int64_t> offsets;        // [rows + 1]
  std::span<const std::int32_t> segments = {};  // of each id, or none: all 0
  std::span<const std::int32_t> spans = {};     // as many positions per row, relative to its start; or none
  std::span<const std::int64_t> soft = {};      // keys of soft tokens, to which the id -1 - i refers; or none

  std::int64_t size() const { return offsets.empty() ? 0 : static_cast<std::int64_t>(offsets.size()) - 1; }
  std::int64_t length(std::int64_t row) const { return offsets[row + 1] - offsets[row]; }
  std::span<const std::int32_t> operator[](std::int64_t row) const { return ids.subspan(offsets[row], length(row)); }
};

/// Consecutive parts of the chosen rows, each of at most so many tokens or a single longer row.
std::vector<std::span<const std::int64_t>> batches_within(const TokenRows& rows, std::span<const std::int64_t> chosen,
                                                          std::int64_t most_tokens);

/// The chosen rows, in the order given, as one batch on the CPU.
PackedTokens pack(const TokenRows& rows, std::span<const std::int64_t> chosen);
/// All rows.
PackedTokens pack(const TokenRows& rows);
/// The same from a list of texts, for tests and small jobs.
PackedTokens pack_texts(const std::vector<std::vector<std::int32_t>>& texts);

}  // namespace hasa
