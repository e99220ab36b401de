#include "hasa/dist/job.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "hasa/base/log.h"
#include "hasa/base/progress.h"
#include "hasa/base/usable_cores.h"

namespace hasa {
namespace {

std::atomic<bool> threads_left_behind = false;

}  // namespace

void settle_in(const JobPlace& place) {
  if (place.rank > 0) {
    set_log_level(LogLevel::error);
    set_progress_enabled(false);
  }
  const char* threads = std::getenv("OMP_NUM_THREADS");
  if (threads == nullptr || *threads == '\0')
    at::set_num_threads(std::max(1, static_cast<int>(usable_cores()) / place.local_size));
}

void check_one_process(const char* command) {
  const JobPlace place = place_in_environment();
  HASA_CHECK(place.size == 1, config, "{} is for one process, and this is one of {}\nstart one process", command,
             place.size);
}

bool must_end_at_once() { return threads_left_behind; }
void note_threads_left_behind() { threads_left_behind = true; }

#ifdef HASA_DIST
bool can_join_jobs() { return true; }
#else
bool can_join_jobs() { return false; }
std::unique_ptr<Comm> join_job(const JobPlace& place) {
  fail(ErrorKind::unavailable,
       "this is process {} of {}, but this program was built without what several processes need\ninstall libgloo-dev "
       "and build it again, or start one process",
       place.rank, place.size);
}
#endif

}  // namespace hasa
