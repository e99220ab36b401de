#include "hasa/ops/core/default_threads.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cstdlib>

#include "hasa/base/thread_pool.h"

namespace hasa {

void use_as_many_threads_as_cores() {
  if (std::getenv("OMP_NUM_THREADS") != nullptr || std::getenv("MKL_NUM_THREADS") != nullptr) return;
  at::set_num_threads(std::min(at::get_num_threads(), static_cast<int>(thread_count())));
}

}  // namespace hasa
