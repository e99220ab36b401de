#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "hasa/kg/triple.h"

namespace hasa {

/// The entities mined for a window of consecutive steps,
/// passed from the mining thread to the prefetching thread. Thread-safe.
class MinedWindow {
 public:
  /// Replaces the previous window. `found` [steps, triples of a step, entities of a triple], -1 for none.
  void publish(std::int64_t first_step, std::size_t entities_per_step, std::vector<EntityId> found);

  /// The first `count` entities of the step, which must lie in the window.
  std::vector<EntityId> of(std::int64_t step, std::size_t count) const;

 private:
  mutable std::mutex mutex_;
  std::int64_t first_step_ = 0;
  std::size_t entities_per_step_ = 0;
  std::vector<EntityId> found_;
};

}  // namespace hasa
