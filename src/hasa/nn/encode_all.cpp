#include "hasa/nn/encode_all.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <atomic>
#include <optional>

#include "hasa/base/error.h"
#include "hasa/base/progress.h"
#include "hasa/base/row_journal.h"
#include "hasa/base/stop_signal.h"
#include "hasa/ops/core/device.h"

namespace hasa {
namespace {

using torch::Tensor;

void check_rows(const TokenRows& rows, const EncoderConfig& config) {
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    HASA_CHECK(rows.length(row) > 0, data, "text {} has no tokens", row);
    HASA_CHECK(rows.length(row) <= config.longest_text(), data, "text {} has {} tokens, the model takes {}", row,
               rows.length(row), config.longest_text());
    for (const std::int32_t id : rows[row]) {
      HASA_CHECK(id >= -std::ssize(rows.soft) && id < config.vocabulary, data,
                 "text {} has the token id {}, the vocabulary {} entries", row, id, config.vocabulary);
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

using Batches = std::vector<std::span<const std::int64_t>>;

Tensor encode_batch(const FrozenEncoder& frozen, const PackedTokens& tokens, const EncodeAllOptions& options) {
  const Tensor soft = tokens.soft.defined() ? options.soft_rows(tokens.soft) : Tensor();
  return frozen.encode(tokens, options.pooling, soft).to(torch::kFloat32);
}

/// What the batches of one call fill and report to.
class Encoding {
 public:
  Encoding(std::int64_t rows, std::int64_t width, torch::Device device, const EncodeAllOptions& options)
      : options_(options), rows_(rows), result_(at::empty({rows, width}, torch::kFloat32)) {
    if (!options.journal.empty()) {
      const std::span values(result_.mutable_data_ptr<float>(), static_cast<std::size_t>(result_.numel()));
      journal_.emplace(options.journal, options.journal_stamp, static_cast<std::size_t>(width), values);
      report(static_cast<std::int64_t>(journal_->found()));
    }
    result_ = result_.to(device);
  }

  /// Whether the journal has all rows of the batch.
  bool has(std::span<const std::int64_t> batch) const {
    return journal_ &&
           std::ranges::all_of(batch, [&](auto row) { return journal_->has(static_cast<std::size_t>(row)); });
  }
  bool stopping() {
    if (options_.stop && options_.stop()) stopped_ = true;
    return stopped_;
  }
  Tensor& result() { return result_; }
  /// The batch's vectors are in the result.
  void report(std::int64_t texts) {
    done_ += texts;
    if (options_.progress && texts > 0) options_.progress(texts);
  }
  /// Writes rows, on the CPU already, to the journal.
  void keep(std::span<const std::int64_t> rows, const Tensor& vectors) {
    if (!journal_) return;
    const std::span values(vectors.const_data_ptr<float>(), static_cast<std::size_t>(vectors.numel()));
    journal_->add(rows, values);
  }
  bool keeps() const { return journal_.has_value(); }
  void throw_if_stopped() const {
    if (!stopped_) return;
    const std::string done =
        fmt::format("interrupted by a signal with {} of {} texts read", format_count(static_cast<std::uint64_t>(done_)),
                    format_count(static_cast<std::uint64_t>(rows_)));
    if (!journal_ || !journal_->keeps()) throw Stopped(done);
    throw Stopped(
        fmt::format("{}\n{} keeps them: the same command resumes from there", done, journal_->path().string()));
  }

 private:
  const EncodeAllOptions& options_;
  std::int64_t rows_;
  Tensor result_;
  std::optional<RowJournal> journal_;
  std::atomic<bool> stopped_ = false;
  std::atomic<std::int64_t> done_ = 0;
};

Tensor on_cpu(std::span<const std::int64_t> rows) {
  return torch::tensor(at::ArrayRef<std::int64_t>(rows.data(), rows.size()), torch::kInt64);
}

/// Each thread works through batches of its own: nothing waits for a slower neighbour inside a product.
void encode_on_cpu(const FrozenEncoder& frozen, const TokenRows& rows, const Batches& batches,
                   const EncodeAllOptions& options, Encoding& encoding) {
  const auto run = [&](std::span<const std::int64_t> batch) {
    const at::NoGradGuard no_gradients;
    const Tensor vectors = encode_batch(frozen, pack(rows, batch), options).contiguous();
    encoding.result().index_copy_(0, on_cpu(batch), vectors);
    encoding.keep(batch, vectors);
    encoding.report(static_cast<std::int64_t>(batch.size()));
  };
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < batches.size() && !encoding.stopping(); i = next++) run(batches[i]);
  };
  if (batches.size() < 2) return work();
  at::parallel_for(0, at::get_num_threads(), 1, [&](std::int64_t, std::int64_t) { work(); });
}

constexpr std::size_t kRowsAtOnce = 32768;  // fetched from a device: each time it is waited for

/// The host puts a batch together while the device works on those before it, and waits for them only to keep rows.
void encode_on_device(const FrozenEncoder& frozen, const TokenRows& rows, const Batches& batches,
                      const EncodeAllOptions& options, Encoding& encoding) {
  const at::NoGradGuard no_gradients;
  const torch::Device device = frozen.encoder().device();
  std::vector<std::int64_t> unkept;
  const auto keep = [&] {
    if (!encoding.keeps() || unkept.empty()) return;
    encoding.keep(unkept, encoding.result().index_select(0, on_cpu(unkept).to(device)).cpu());
    unkept.clear();
  };
  for (const auto& batch : batches) {
    if (encoding.stopping()) break;
    const Tensor vectors = encode_batch(frozen, pack(rows, batch).pinned().to(device), options);
    encoding.result().index_copy_(0, on_cpu(batch).pin_memory().to(device, /*non_blocking=*/true), vectors);
    encoding.report(static_cast<std::int64_t>(batch.size()));
    unkept.insert(unkept.end(), batch.begin(), batch.end());
    if (unkept.size() >= kRowsAtOnce) keep();
  }
  keep();
}

}  // namespace

/// A CPU's batch keeps its activations in the second and third cache. A GPU's is large, since each costs it a third of
/// a millisecond at its edges, but a token takes BERT-base in bf16 some 20 KB of the memory, of which this asks for a
/// fiftieth.
std::int64_t tokens_per_batch(torch::Device device) {
  if (device.is_cpu()) return 1024;
  return std::clamp<std::int64_t>(device_memory_bytes(device) >> 20, 8192, 131072);
}

Tensor encode_all(const FrozenEncoder& frozen, const TokenRows& rows, const EncodeAllOptions& options) {
  const Encoder& encoder = frozen.encoder();
  check_pooling(encoder, options.pooling);
  check_rows(rows, encoder.config());
  HASA_ASSERT(rows.soft.empty() || options.soft_rows);
  const std::vector<std::int64_t> order = by_length(rows, encoder.config().longest_text());
  Batches batches = batches_within(
      rows, order, options.tokens_per_batch > 0 ? options.tokens_per_batch : tokens_per_batch(encoder.device()));
  Encoding encoding(rows.size(), encoder.config().hidden, encoder.device(), options);
  std::erase_if(batches, [&](const auto& batch) { return encoding.has(batch); });
  (encoder.device().is_cpu() ? encode_on_cpu : encode_on_device)(frozen, rows, batches, options, encoding);
  encoding.throw_if_stopped();
  return encoding.result();
}

Tensor encode_all(const Encoder& encoder, const TokenRows& rows, const EncodeAllOptions& options) {
  return encode_all(FrozenEncoder(encoder), rows, options);
}

}  // namespace hasa
