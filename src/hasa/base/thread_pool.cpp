#include "hasa/base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "hasa/base/error.h"
#include "hasa/base/usable_cores.h"

namespace hasa {
namespace {

std::atomic<std::size_t> wanted_threads{0};

/// One parallel_for, shared by the threads that work on it.
class Job {
 public:
  Job(std::size_t size, std::size_t grain, const std::function<void(std::size_t, std::size_t)>& body)
      : size_(size), grain_(grain), body_(body) {}

  std::size_t helpers_wanted = 0;  // these two belong to the pool
  std::size_t helpers_at_work = 0;

  void work() {
    while (!stopped_) {
      const std::size_t part = next_part_.fetch_add(1), begin = part * grain_;
      if (begin >= size_) return;
      try {
        body_(begin, std::min(size_, begin + grain_));
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!error_ || part < error_part_) {
          error_ = std::current_exception();
          error_part_ = part;
        }
        stopped_ = true;
      }
    }
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  const std::size_t size_, grain_;
  const std::function<void(std::size_t, std::size_t)>& body_;
  std::atomic<std::size_t> next_part_{0};
  std::atomic<bool> stopped_{false};
  std::mutex mutex_;
  std::exception_ptr error_;
  std::size_t error_part_ = 0;
};

/// Threads that sleep until there is a job to help with. None is needed for a job to end, so jobs may be started from
/// within jobs.
class Pool {
 public:
  /// Never destroyed: its threads may outlive main(), asleep.
  static Pool& instance() {
    static auto* const pool = new Pool;
    return *pool;
  }

  /// Returns when no thread works on the job any more.
  void run(Job& job, std::size_t helpers) {
    {
      const std::lock_guard lock(mutex_);
      start_threads(helpers);
      job.helpers_wanted = helpers;
      jobs_.push_back(&job);
    }
    for (std::size_t i = 0; i < helpers; ++i) job_added_.notify_one();
    job.work();
    std::unique_lock lock(mutex_);
    jobs_.erase(std::find(jobs_.begin(), jobs_.end(), &job));
    helper_done_.wait(lock, [&job] { return job.helpers_at_work == 0; });
  }

 private:
  void start_threads(std::size_t wanted) {
    try {
      for (; threads_ < wanted; ++threads_) std::thread([this] { help_for_ever(); }).detach();
    } catch (const std::system_error&) {
      // At the system's limit of threads: those that there are do the work, with the same result.
    }
  }

  [[noreturn]] void help_for_ever() {
    std::unique_lock lock(mutex_);
    for (;;) {
      Job* job = nullptr;
      job_added_.wait(lock, [&] { return (job = newest_open_job()) != nullptr; });
      --job->helpers_wanted;
      ++job->helpers_at_work;
      lock.unlock();
      job->work();
      lock.lock();
      if (--job->helpers_at_work == 0) helper_done_.notify_all();
    }
  }

  /// The newest first: others may be waiting for a job started within theirs.
  Job* newest_open_job() const {
    const auto found =
        std::find_if(jobs_.rbegin(), jobs_.rend(), [](const Job* job) { return job->helpers_wanted > 0; });
    return found == jobs_.rend() ? nullptr : *found;
  }

  std::mutex mutex_;
  std::condition_variable job_added_, helper_done_;
  std::vector<Job*> jobs_;
  std::size_t threads_ = 0;
};

}  // namespace

std::size_t thread_count() {
  const std::size_t wanted = wanted_threads;
  return wanted > 0 ? wanted : usable_cores();
}

void set_thread_count(std::size_t count) { wanted_threads = count; }

void parallel_for(std::size_t size, std::size_t grain, const std::function<void(std::size_t, std::size_t)>& body) {
  if (size == 0) return;
  HASA_ASSERT(grain > 0);
  const std::size_t parts = (size + grain - 1) / grain;
  const std::size_t helpers = std::min(parts, thread_count()) - 1;
  Job job(size, grain, body);
  if (helpers == 0) {
    job.work();
  } else {
    Pool::instance().run(job, helpers);
  }
  job.rethrow();
}

}  // namespace hasa
