#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hasa {

/// Which rows of the training triples each step takes: all of them once an epoch, in an order that depends on seed and
/// epoch alone, so that any step can be taken up again. Steps are counted from the start of training.
class BatchOrder {
 public:
  BatchOrder(std::uint64_t seed, std::int64_t rows, std::int64_t batch);

  std::int64_t steps_per_epoch() const { return (rows_ + batch_ - 1) / batch_; }
  /// Valid until the next call.
  std::span<const std::int64_t> rows_of(std::int64_t step);

 private:
  std::uint64_t seed_;
  std::int64_t rows_, batch_;
  std::int64_t epoch_ = -1;  // whose order is held
  std::vector<std::int64_t> order_;
};

}  // namespace hasa
