#include "hasa/train/batch_order.h"

#include <algorithm>
#include <numeric>

#include "hasa/base/error.h"
#include "hasa/base/rng.h"

namespace hasa {

BatchOrder::BatchOrder(std::uint64_t seed, std::int64_t rows, std::int64_t batch)
    : seed_(seed), rows_(rows), batch_(batch) {
  HASA_ASSERT(rows > 0 && batch > 0);
}

std::span<const std::int64_t> BatchOrder::rows_of(std::int64_t step) {
  const std::int64_t epoch = step / steps_per_epoch();
  if (epoch != epoch_) {
    order_.resize(static_cast<std::size_t>(rows_));
    std::iota(order_.begin(), order_.end(), 0);
    Rng(seed_, "order", static_cast<std::uint64_t>(epoch)).shuffle(order_);
    epoch_ = epoch;
  }
  const std::int64_t first = step % steps_per_epoch() * batch_;
  return std::span(order_).subspan(static_cast<std::size_t>(first),
                                   static_cast<std::size_t>(std::min(batch_, rows_ - first)));
}

}  // namespace hasa
