#include "hasa/nn/encode_all.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <atomic>

#include "hasa/base/error.h"

namespace hasa {
namespace {

using torch::Tensor;

void check_rows(const TokenRows& rows, const EncoderConfig& config) {
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    HASA_CHECK(rows.length(row) > 0, data, "text {} has no tokens", row);
    HASA_CHECK(rows.length(row) <= config.longest_text(), data, "text {} has {} tokens, the model takes {}", row,
               rows.length(row), config.longest_text());
    for (const std::int32_t id : rows[row]) {
      HASA_CHECK(id >= 0 && id < config.vocabulary, data, "text {} has the token id {}, the vocabulary {} entries", row,
                 id, config.vocabulary);
    }
  }
}

/// Rows by length, longest first: too little memory shows at once, and the last batches are the quick ones.
std::vector<std::int64_t> by_length(const TokenRows& rows, std::int64_t longest) {
  std::vector<std::size_t> before(static_cast<std::size_t>(longest) + 1);  // rows longer than this
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    if (rows.length(row) > 0) ++before[static_cast<std::size_t>(rows.length(row)) - 1];
  }
  for (std::size_t length = before.size(); length-- > 1;) before[length - 1] += before[length];
  std::vector<std::int64_t> order(static_cast<std::size_t>(rows.size()));
  for (std::int64_t row = 0; row < rows.size(); ++row) order[before[static_cast<std::size_t>(rows.length(row))]++] = row;
  return order;
}

/// Consecutive parts of `order`, each of at most `budget` tokens or one row.
std::vector<std::span<const std::int64_t>> cut(const TokenRows& rows, std::span<const std::int64_t> order,
                                               std::int64_t budget) {
  std::vector<std::span<const std::int64_t>> batches;
  std::size_t begin = 0;
  std::int64_t tokens = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::int64_t length = rows.length(order[i]);
    if (i > begin && tokens + length > budget) {
      batches.push_back(order.subspan(begin, i - begin));
      begin = i;
      tokens = 0;
    }
    tokens += length;
  }
  if (begin < order.size()) batches.push_back(order.subspan(begin));
  return batches;
}

/// A CPU's batch keeps its activations in the second and third cache; a GPU's is large enough to fill it.
std::int64_t default_budget(torch::Device device) { return device.is_cpu() ? 1024 : 32768; }

using Batches = std::vector<std::span<const std::int64_t>>;

/// Each thread works through batches of its own: nothing waits for a slower neighbour inside a product.
Tensor encode_on_cpu(const FrozenEncoder& frozen, const TokenRows& rows, const Batches& batches,
                     const EncodeAllOptions& options) {
  Tensor result = at::empty({rows.size(), frozen.encoder().config().hidden}, torch::kFloat32);
  const auto run = [&](std::span<const std::int64_t> batch) {
    const at::NoGradGuard no_gradients;
    const Tensor vectors = frozen.encode(pack(rows, batch), options.pooling).to(torch::kFloat32);
    const Tensor to = torch::tensor(at::ArrayRef<std::int64_t>(batch.data(), batch.size()), torch::kInt64);
    result.index_copy_(0, to, vectors);
    if (options.progress) options.progress(static_cast<std::int64_t>(batch.size()));
  };
  if (batches.size() < 2) {
    for (const auto& batch : batches) run(batch);
    return result;
  }
  std::atomic<std::size_t> next = 0;
  at::parallel_for(0, at::get_num_threads(), 1, [&](std::int64_t, std::int64_t) {
    for (std::size_t i = next++; i < batches.size(); i = next++) run(batches[i]);
  });
  return result;
}

/// Batches whose tokens, some hundred million at most, go over in one copy: the host never holds the device up. The
/// vectors of row i of `order` go to row order[i] of the result.
void encode_together(const FrozenEncoder& frozen, const TokenRows& rows, std::span<const std::int64_t> order,
                     std::span<const std::span<const std::int64_t>> batches, const EncodeAllOptions& options,
                     const Tensor& result) {
  const torch::Device device = result.device();
  const PackedTokens all = pack(rows, order).to(device);
  const Tensor to = torch::tensor(at::ArrayRef<std::int64_t>(order.data(), order.size()), torch::kInt64).to(device);
  std::int64_t text = 0, token = 0;
  for (const auto& batch : batches) {
    const std::int64_t last_text = text + static_cast<std::int64_t>(batch.size());
    std::int64_t last_token = token;
    for (const std::int64_t row : batch) last_token += rows.length(row);
    PackedTokens part;
    part.ids = all.ids.slice(0, token, last_token);
    part.offsets = all.offsets.slice(0, text, last_text + 1) - token;
    if (all.segments.defined()) part.segments = all.segments.slice(0, token, last_token);
    part.longest = rows.length(batch.front());
    result.index_copy_(0, to.slice(0, text, last_text), frozen.encode(part, options.pooling).to(torch::kFloat32));
    if (options.progress) options.progress(last_text - text);
    text = last_text;
    token = last_token;
  }
}

Tensor encode_on_device(const FrozenEncoder& frozen, const TokenRows& rows, std::span<const std::int64_t> order,
                        const Batches& batches, const EncodeAllOptions& options) {
  constexpr std::int64_t kTokensTogether = std::int64_t{1} << 28;
  const at::NoGradGuard no_gradients;
  const Encoder& encoder = frozen.encoder();
  Tensor result =
      at::empty({rows.size(), encoder.config().hidden}, torch::dtype(torch::kFloat32).device(encoder.device()));
  std::size_t first_batch = 0, first_row = 0, row = 0;
  std::int64_t tokens = 0;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    row += batches[i].size();
    for (const std::int64_t each : batches[i]) tokens += rows.length(each);
    if (tokens < kTokensTogether && i + 1 < batches.size()) continue;
    encode_together(frozen, rows, order.subspan(first_row, row - first_row),
                    std::span(batches).subspan(first_batch, i + 1 - first_batch), options, result);
    first_batch = i + 1;
    first_row = row;
    tokens = 0;
  }
  return result;
}

}  // namespace

Tensor encode_all(const FrozenEncoder& frozen, const TokenRows& rows, const EncodeAllOptions& options) {
  const Encoder& encoder = frozen.encoder();
  check_pooling(encoder, options.pooling);
  check_rows(rows, encoder.config());
  const std::vector<std::int64_t> order = by_length(rows, encoder.config().longest_text());
  const Batches batches =
      cut(rows, order, options.tokens_per_batch > 0 ? options.tokens_per_batch : default_budget(encoder.device()));
  return encoder.device().is_cpu() ? encode_on_cpu(frozen, rows, batches, options)
                                   : encode_on_device(frozen, rows, order, batches, options);
}

Tensor encode_all(const Encoder& encoder, const TokenRows& rows, const EncodeAllOptions& options) {
  return encode_all(FrozenEncoder(encoder), rows, options);
}

}  // namespace hasa
