#pragma once

#include <memory>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include "hasa/dist/job_place.h"

namespace hasa {

/// What Gloo's connections are made with: the interface in GLOO_SOCKET_IFNAME, or the one that leads to the job's
/// store.
std::shared_ptr<gloo::transport::Device> gloo_device(const JobPlace& place);

}  // namespace hasa
