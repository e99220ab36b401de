#include "hasa/train/mined_window.h"

#include <utility>

#include "hasa/base/error.h"

namespace hasa {

void MinedWindow::publish(std::int64_t first_step, std::size_t entities_per_step, std::vector<EntityId> found) {
  const std::lock_guard lock(mutex_);
  first_step_ = first_step;
  entities_per_step_ = entities_per_step;
  found_ = std::move(found);
}

std::vector<EntityId> MinedWindow::of(std::int64_t step, std::size_t count) const {
  const std::lock_guard lock(mutex_);
  // An abandoned step may still be prefetched for a window that has moved on; its result is never used.
  const bool inside = step >= first_step_ && count <= entities_per_step_ &&
                      static_cast<std::size_t>(step - first_step_) * entities_per_step_ + count <= found_.size();
  HASA_CHECK(inside, shape, "nothing was mined for step {}: the window begins at {} and holds {} entities", step,
             first_step_, found_.size());
  const auto from = found_.begin() + (step - first_step_) * static_cast<std::ptrdiff_t>(entities_per_step_);
  return {from, from + static_cast<std::ptrdiff_t>(count)};
}

}  // namespace hasa
