#include "hasa/nn/encode_all.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <atomic>
#include <numeric>

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
std::vector<std::int64_t> by_length(const TokenRows& rows) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(rows.size()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int64_t a, std::int64_t b) { return rows.length(a) > rows.length(b); });
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

}  // namespace

Tensor encode_all(const FrozenEncoder& frozen, const TokenRows& rows, const EncodeAllOptions& options) {
  const Encoder& encoder = frozen.encoder();
  check_pooling(encoder, options.pooling);
  check_rows(rows, encoder.config());
  const torch::Device device = encoder.device();
  const std::vector<std::int64_t> order = by_length(rows);
  const auto batches =
      cut(rows, order, options.tokens_per_batch > 0 ? options.tokens_per_batch : default_budget(device));
  Tensor result = at::empty({rows.size(), encoder.config().hidden}, torch::dtype(torch::kFloat32).device(device));

  const auto run = [&](std::span<const std::int64_t> batch) {
    const at::NoGradGuard no_gradients;
    const Tensor vectors = frozen.encode(pack(rows, batch).to(device), options.pooling).to(torch::kFloat32);
    const Tensor to = torch::tensor(at::ArrayRef<std::int64_t>(batch.data(), batch.size()), torch::kInt64).to(device);
    result.index_copy_(0, to, vectors);
    if (options.progress) options.progress(static_cast<std::int64_t>(batch.size()));
  };
  if (!device.is_cpu() || batches.size() < 2) {
    for (const auto& batch : batches) run(batch);
    return result;
  }
  // Each thread works through batches of its own: nothing waits for a slower neighbour inside a product.
  std::atomic<std::size_t> next = 0;
  at::parallel_for(0, at::get_num_threads(), 1, [&](std::int64_t, std::int64_t) {
    for (std::size_t i = next++; i < batches.size(); i = next++) run(batches[i]);
  });
  return result;
}

Tensor encode_all(const Encoder& encoder, const TokenRows& rows, const EncodeAllOptions& options) {
  return encode_all(FrozenEncoder(encoder), rows, options);
}

}  // namespace hasa
