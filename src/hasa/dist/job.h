#pragma once

#include <memory>
#include <utility>

#include "hasa/base/error.h"
#include "hasa/dist/comm.h"
#include "hasa/dist/job_place.h"

namespace hasa {

/// Whether this program was built with c10d.
bool can_join_jobs();

/// Meets the other processes that the environment tells of: through c10d, whose Gloo carries what they exchange. One
/// process alone meets nobody, and costs nothing. Throws unavailable where the others do not come, or where this
/// program was built without c10d; config for an environment that makes no sense.
std::unique_ptr<Comm> join_job(const JobPlace& place);

/// What one process of several does differently: only rank 0 logs and shows progress, and processes that share a
/// machine share its cores, unless OMP_NUM_THREADS says otherwise.
void settle_in(const JobPlace& place);

/// Calls work(comm) among the processes of this job. What it throws names this process's rank, and the others hear of
/// it.
template <class Work>
auto in_job(const Work& work) {
  const JobPlace place = place_in_environment();
  if (place.size == 1) return work(one_process());
  settle_in(place);
  const std::unique_ptr<Comm> comm = join_job(place);
  try {
    return work(*comm);
  } catch (const Error& error) {
    comm->abandon(error.what());
    fail(error.kind(), "rank {} of {}: {}", comm->rank(), comm->size(), error.what());
  } catch (const std::exception& error) {
    comm->abandon(error.what());
    throw;
  }
}

/// Refuses what several processes would do several times, `command` in a user's words.
void check_one_process(const char* command);

/// Whether threads of a job that failed are still waiting: the process has to end without taking its libraries apart.
bool must_end_at_once();
void note_threads_left_behind();

}  // namespace hasa
