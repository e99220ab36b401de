#include "hasa/nn/packed_tokens.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/repeat_interleave.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "hasa/base/error.h"

namespace hasa {

PackedTokens PackedTokens::to(torch::Device device) const {
  const auto move = [&](const torch::Tensor& x) { return x.defined() ? x.to(device, /*non_blocking=*/true) : x; };
  return {move(ids), move(offsets), move(segments), longest, move(spans), first_token, first_text, move(soft)};
}

PackedTokens PackedTokens::pinned() const {
  const auto pin = [](const torch::Tensor& x) { return x.defined() ? x.pin_memory() : x; };
  return {pin(ids), pin(offsets), pin(segments), longest, pin(spans), first_token, first_text, pin(soft)};
}

torch::Tensor positions_in_text(const PackedTokens& tokens) {
  const torch::Tensor starts = tokens.offsets.slice(0, 0, -1).to(torch::kInt64);
  const torch::Tensor lengths = tokens.offsets.slice(0, 1).to(torch::kInt64) - starts;
  // The count of tokens is given, so that a GPU need not be asked for it.
  const torch::Tensor start_of_token = at::repeat_interleave(starts, lengths, 0, tokens.tokens());
  return at::arange(tokens.tokens(), start_of_token.options()) - start_of_token;
}

namespace {

/// Undefined where every chosen row is in segment 0.
torch::Tensor pack_segments(const TokenRows& rows, std::span<const std::int64_t> chosen, std::int64_t total) {
  if (rows.segments.empty()) return {};
  torch::Tensor packed = at::empty({total}, torch::kInt32);
  auto* to = packed.mutable_data_ptr<std::int32_t>();
  bool any = false;
  for (const std::int64_t row : chosen) {
    const auto part =
        rows.segments.subspan(static_cast<std::size_t>(rows.offsets[row]), static_cast<std::size_t>(rows.length(row)));
    any = any || std::any_of(part.begin(), part.end(), [](std::int32_t segment) { return segment != 0; });
    to = std::copy(part.begin(), part.end(), to);
  }
  return any ? packed : torch::Tensor();
}

/// The rows' places moved to where the rows begin.
torch::Tensor pack_spans(const TokenRows& rows, std::span<const std::int64_t> chosen, const std::int32_t* offsets) {
  if (rows.spans.empty()) return {};
  const std::size_t each = rows.spans.size() / static_cast<std::size_t>(rows.size());
  torch::Tensor packed =
      at::empty({static_cast<std::int64_t>(chosen.size()), static_cast<std::int64_t>(each)}, torch::kInt32);
  auto* to = packed.mutable_data_ptr<std::int32_t>();
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    for (const std::int32_t place : rows.spans.subspan(static_cast<std::size_t>(chosen[i]) * each, each))
      *to++ = offsets[i] + place;
  }
  return packed;
}

/// Numbers the soft tokens of packed ids anew, in order. Undefined where there are none.
torch::Tensor pack_soft(const TokenRows& rows, const torch::Tensor& ids) {
  if (rows.soft.empty()) return {};
  std::vector<std::int64_t> keys;
  const std::span<std::int32_t> all(ids.mutable_data_ptr<std::int32_t>(), static_cast<std::size_t>(ids.numel()));
  for (std::int32_t& id : all) {
    if (id >= 0) continue;
    keys.push_back(rows.soft[static_cast<std::size_t>(-1 - id)]);
    id = static_cast<std::int32_t>(-std::ssize(keys));
  }
  return keys.empty() ? torch::Tensor() : torch::tensor(keys, torch::kInt64);
}

}  // namespace

std::vector<std::span<const std::int64_t>> batches_within(const TokenRows& rows, std::span<const std::int64_t> chosen,
                                                          std::int64_t most_tokens) {
  std::vector<std::span<const std::int64_t>> batches;
  std::size_t begin = 0;
  std::int64_t tokens = 0;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const std::int64_t length = rows.length(chosen[i]);
    if (i > begin && tokens + length > most_tokens) {
      batches.push_back(chosen.subspan(begin, i - begin));
      begin = i;
      tokens = 0;
    }
    tokens += length;
  }
  if (begin < chosen.size()) batches.push_back(chosen.subspan(begin));
  return batches;
}

PackedTokens pack(const TokenRows& rows, std::span<const std::int64_t> chosen) {
  std::int64_t total = 0, longest = 0;
  for (const std::int64_t row : chosen) {
    total += rows.length(row);
    longest = std::max(longest, rows.length(row));
  }
  HASA_CHECK(total <= std::numeric_limits<std::int32_t>::max(), shape, "{} tokens are too many for one batch", total);
  PackedTokens packed;
  packed.longest = longest;
  packed.ids = at::empty({total}, torch::kInt32);
  packed.offsets = at::empty({static_cast<std::int64_t>(chosen.size()) + 1}, torch::kInt32);
  auto* ids = packed.ids.mutable_data_ptr<std::int32_t>();
  auto* offsets = packed.offsets.mutable_data_ptr<std::int32_t>();
  *offsets = 0;
  for (const std::int64_t row : chosen) {
    ids = std::copy(rows[row].begin(), rows[row].end(), ids);
    offsets[1] = static_cast<std::int32_t>(offsets[0] + rows.length(row));
    ++offsets;
  }
  packed.soft = pack_soft(rows, packed.ids);
  packed.segments = pack_segments(rows, chosen, total);
  packed.spans = pack_spans(rows, chosen, packed.offsets.const_data_ptr<std::int32_t>());
  return packed;
}

PackedTokens pack(const TokenRows& rows) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(rows.size()));
  std::iota(all.begin(), all.end(), 0);
  return pack(rows, all);
}

PackedTokens pack_texts(const std::vector<std::vector<std::int32_t>>& texts) {
  std::vector<std::int32_t> ids;
  std::vector<std::int64_t> offsets = {0};
  for (const auto& text : texts) {
    ids.insert(ids.end(), text.begin(), text.end());
    offsets.push_back(static_cast<std::int64_t>(ids.size()));
  }
  return pack(TokenRows{ids, offsets});
}

}  // namespace hasa
