#pragma once

#include <chrono>
#include <string>

#include <torch/csrc/distributed/c10d/Store.hpp>

#include "hasa/dist/job_place.h"

namespace hasa {

/// Waits at the job's store until all processes have come, and agrees with them on the prefix of this start's keys. A
/// launcher that starts a job again, with as many processes or fewer, may keep its store: what earlier starts left
/// there is passed over. Throws unavailable, naming those who have not come, when the patience is over.
std::string meet(c10d::Store& store, const JobPlace& place, std::chrono::milliseconds patience);

}  // namespace hasa
