#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hasa {

/// Which training triples each step contains: every one once per epoch, in an order that depends only on seed
/// and epoch, so that training can resume at any step. Steps are counted from the start of the run.
class BatchOrder {
 public:
  BatchOrder(std::uint64_t seed, std::int64_t rows, std::int64_t batch);

  std::int64_t steps_per_epoch() const { return (rows_ + batch_ - 1) / batch_; }
  /// Valid until the next call.
  std::span<const std::int64_t> rows_of(std::int64_t step);

 private:
  std::uint64_t seed_;
  std::int64_t rows_, batch_;
  std::int64_t epoch_ = -1;  // epoch of the current order
  std::vector<std::int64_t> order_;
};

}  // namespace hasa
