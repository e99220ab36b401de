#include "hasa/base/thread_pool.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "hasa/base/error.h"

namespace hasa {
namespace {

std::atomic<std::size_t> wanted_threads{0};

std::size_t usable_cores() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1U, std::thread::hardware_concurrency());
}

/// What the threads of one parallel_for share.
struct Job {
  Job(std::size_t size, std::size_t grain, const std::function<void(std::size_t, std::size_t)>& body)
      : size(size), grain(grain), body(body) {}

  std::size_t size, grain;
  const std::function<void(std::size_t, std::size_t)>& body;
  std::atomic<std::size_t> next_part{0};
  std::mutex mutex;
  std::exception_ptr error;
  std::size_t error_part = 0;
  std::atomic<bool> stopped{false};

  void work() {
    while (!stopped) {
      const std::size_t part = next_part.fetch_add(1);
      const std::size_t begin = part * grain;
      if (begin >= size) return;
      try {
        body(begin, std::min(size, begin + grain));
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!error || part < error_part) {
          error = std::current_exception();
          error_part = part;
        }
        stopped = true;
      }
    }
  }
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
  Job job(size, grain, body);
  // Threads are started anew each time: the jobs are long, and no pool is left behind to fork or tear down.
  std::vector<std::thread> helpers;
  for (std::size_t i = 1; i < std::min(parts, thread_count()); ++i) helpers.emplace_back([&job] { job.work(); });
  job.work();
  for (std::thread& helper : helpers) helper.join();
  if (job.error) std::rethrow_exception(job.error);
}

}  // namespace hasa
