#include "hasa/nn/encode_all.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <atomic>

#include "hasa/base/error.h"
#include "hasa/ops/device.h"

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
  for (std::int64_t row = 0; row < rows.size(); ++row)
    order[before[static_cast<std::size_t>(rows.length(row))]++] = row;
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

/// A CPU's batch keeps its activations in the second and third cache. A GPU's is large, since each costs it a third of
/// a millisecond at its edges, but a token takes BERT-base in bf16 some 20 KB of the memory, of which this asks for a
/// fiftieth.
std::int64_t default_budget(torch::Device device) {
  if (device.is_cpu()) return 1024;
  return std::clamp<std::int64_t>(device_memory_bytes(device) >> 20, 8192, 131072);
}

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

/// The host puts a batch together while the device works on those before it, and never waits for them.
Tensor encode_on_device(const FrozenEncoder& frozen, const TokenRows& rows, const Batches& batches,
                        const EncodeAllOptions& options) {
  const at::NoGradGuard no_gradients;
  const Encoder& encoder = frozen.encoder();
  const torch::Device device = encoder.device();
  Tensor result = at::empty({rows.size(), encoder.config().hidden}, torch::dtype(torch::kFloat32).device(device));
  for (const auto& batch : batches) {
    const Tensor vectors = frozen.encode(pack(rows, batch).pinned().to(device), options.pooling).to(torch::kFloat32);
    const Tensor to = torch::tensor(at::ArrayRef<std::int64_t>(batch.data(), batch.size()), torch::kInt64);
    result.index_copy_(0, to.pin_memory().to(device, /*non_blocking=*/true), vectors);
    if (options.progress) options.progress(static_cast<std::int64_t>(batch.size()));
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
                                   : encode_on_device(frozen, rows, batches, options);
}

Tensor encode_all(const Encoder& encoder, const TokenRows& rows, const EncodeAllOptions& options) {
  return encode_all(FrozenEncoder(encoder), rows, options);
}

}  // namespace hasa
