#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace hasa {

struct BatcherLimits {
  std::size_t batch = 1024;     // the most weight that is worked on at once; a single job may weigh more
  std::size_t waiting = 16384;  // the most weight that waits
};

/// What arrives together is worked on together: one thread takes all jobs that wait, in their order and up to a
/// weight, and hands them to `work` at once. A job that comes alone is worked on at once, and those that come meanwhile
/// are the next batch: nothing ever waits for company.
///
/// `work` must not throw. Jobs that are still waiting when the batcher is destroyed are dropped.
template <class Job>
class Batcher {
 public:
  using Work = std::function<void(std::vector<Job>)>;

  Batcher(BatcherLimits limits, Work work) : limits_(limits), work_(std::move(work)), thread_([this] { run(); }) {}
  ~Batcher() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    arrived_.notify_one();
    thread_.join();
  }
  Batcher(const Batcher&) = delete;
  Batcher& operator=(const Batcher&) = delete;

  /// False, and the job is left as it was, when too much waits already. A job above the limit is taken where nothing
  /// else waits.
  bool offer(Job& job, std::size_t weight) {
    {
      const std::lock_guard lock(mutex_);
      if (waiting_weight_ > 0 && waiting_weight_ + weight > limits_.waiting) return false;
      waiting_weight_ += weight;
      waiting_.emplace_back(std::move(job), weight);
    }
    arrived_.notify_one();
    return true;
  }

  /// The weight of what waits.
  std::size_t waiting() const {
    const std::lock_guard lock(mutex_);
    return waiting_weight_;
  }

 private:
  void run() {
    for (std::vector<Job> batch = next(); !batch.empty(); batch = next()) work_(std::move(batch));
  }

  /// Waits for the next batch; empty at the end.
  std::vector<Job> next() {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    std::vector<Job> batch;
    if (ending_) return batch;
    std::size_t weight = 0;
    while (!waiting_.empty() && (batch.empty() || weight + waiting_.front().second <= limits_.batch)) {
      weight += waiting_.front().second;
      batch.push_back(std::move(waiting_.front().first));
      waiting_.pop_front();
    }
    waiting_weight_ -= weight;
    return batch;
  }

  const BatcherLimits limits_;
  const Work work_;
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::pair<Job, std::size_t>> waiting_;  // each with its weight
  std::size_t waiting_weight_ = 0;
  bool ending_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace hasa
