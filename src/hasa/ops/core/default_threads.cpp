#include "hasa/ops/core/default_threads.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cstdlib>

#include "hasa/base/log.h"
#include "hasa/base/startable_threads.h"
#include "hasa/base/thread_pool.h"

namespace hasa {
namespace {

/// OpenMP's threads, LibTorch's other ones and those of parallel_for: each has as many as are computed with.
constexpr std::size_t kPools = 3;

std::size_t threads_within_limits(std::size_t count) {
  if (count <= 1) return count;
  const std::size_t startable = startable_threads(kPools * count);
  const std::size_t possible = std::clamp<std::size_t>(startable / kPools, 1, count);
  if (possible < count) {
    log_warning(
        "only {} more threads can be started: computing with {} instead of {}\n"
        "raise the limit on processes (ulimit -u, or the container's), or the address space (ulimit -v)",
        startable, possible, count);
  }
  return possible;
}

}  // namespace

void use_threads(std::size_t count) {
  const std::size_t possible = threads_within_limits(count);
  set_thread_count(possible);
  at::set_num_threads(static_cast<int>(possible));
}

void use_as_many_threads_as_cores() {
  const auto of_libtorch = static_cast<std::size_t>(at::get_num_threads());
  const bool chosen = std::getenv("OMP_NUM_THREADS") != nullptr || std::getenv("MKL_NUM_THREADS") != nullptr;
  const std::size_t wanted = chosen ? of_libtorch : std::min(of_libtorch, thread_count());
  const std::size_t possible = threads_within_limits(wanted);
  if (possible < wanted) set_thread_count(possible);
  if (possible < wanted || !chosen) at::set_num_threads(static_cast<int>(possible));
}

}  // namespace hasa
