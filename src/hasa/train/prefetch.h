#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "hasa/base/error.h"

namespace hasa {

/// Prepares the inputs of the next steps on its own thread while the
/// current one runs. Steps are taken in order; taking another step restarts from there.
template <class T>
class Prefetch {
 public:
  /// make(step) is called on the thread, one step after the other, up
  /// to `depth` steps ahead. Throws unavailable if no thread can be started.
  explicit Prefetch(std::function<T(std::int64_t)> make, std::size_t depth = 3)
      : make_(std::move(make)), depth_(depth) {
    try {
      thread_ = std::thread([this] { work(); });
    } catch (const std::system_error& problem) {
      fail(ErrorKind::unavailable,
           "cannot start a prefetching thread: {}\nraise the limit on processes (ulimit -u), or end other programs",
           problem.what());
    }
  }
  ~Prefetch() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Prefetch(const Prefetch&) = delete;
  Prefetch& operator=(const Prefetch&) = delete;

  /// Steps from `limit` on are not prepared until it is raised, because their inputs are not known yet.
  void set_limit(std::int64_t limit) {
    const std::lock_guard lock(mutex_);
    limit_ = limit;
    changed_.notify_all();
  }

  /// Waits for the step, which must be below the limit. Throws what make() threw for it.
  T take(std::int64_t step) {
    std::unique_lock lock(mutex_);
    if (step != next_taken_) {
      // Inputs in progress belong to the old order and are discarded.
      ready_.clear();
      next_made_ = next_taken_ = step;
      ++order_;
    }
    changed_.notify_all();
    changed_.wait(lock, [this] { return !ready_.empty(); });
    Made made = std::move(ready_.front());
    ready_.pop_front();
    ++next_taken_;
    changed_.notify_all();
    if (made.error) std::rethrow_exception(made.error);
    return std::move(*made.value);
  }

 private:
  struct Made {
    std::optional<T> value;
    std::exception_ptr error;
  };

  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock,
                    [this] { return ending_ || (next_made_ >= 0 && next_made_ < limit_ && ready_.size() < depth_); });
      if (ending_) return;
      const std::int64_t step = next_made_, order = order_;
      lock.unlock();
      Made made;
      try {
        made.value.emplace(make_(step));
      } catch (...) {
        made.error = std::current_exception();
      }
      lock.lock();
      if (order == order_) {
        ready_.push_back(std::move(made));
        next_made_ = step + 1;
      }
      changed_.notify_all();
    }
  }

  std::function<T(std::int64_t)> make_;
  std::size_t depth_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Made> ready_;
  std::int64_t next_made_ = -1, next_taken_ = -1, order_ = 0;
  std::int64_t limit_ = std::numeric_limits<std::int64_t>::max();
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace hasa
