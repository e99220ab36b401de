#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace hasa {

/// Where this process stands among those of its job, as whoever started them says in the environment.
struct JobPlace {
  int rank = 0, size = 1;
  int local_rank = 0, local_size = 1;  // among the processes of this machine
  std::string address = "127.0.0.1";   // where the job's store is found
  std::uint16_t port = 29500;
  bool store_is_there = false;  // the starter keeps the store; else rank 0 does
  double silence = 60;          // seconds after which a process that is not heard from counts as lost
  double longest_wait = 3600;   // seconds that the others wait for one that is heard from
};

/// The value of an environment variable, or null.
using Environment = std::function<const char*(const char*)>;

/// Reads, in this order: RANK and WORLD_SIZE, with LOCAL_RANK and LOCAL_WORLD_SIZE (torchrun, Kubernetes); Open MPI's
/// OMPI_COMM_WORLD_...; Slurm's of a job step (srun). The store is at MASTER_ADDR and MASTER_PORT; without them on this
/// machine where all processes are on it, and on the first machine of a Slurm step. HASA_RANK_TIMEOUT and
/// HASA_WAIT_TIMEOUT are `silence` and `longest_wait`. Without any of these: one process. Throws config for values that
/// are none, that contradict each other, or that leave the store's address open.
JobPlace place_in(const Environment& environment);
/// Of this process.
JobPlace place_in_environment();

/// The first host of Slurm's list: "node[003-007,9],login" is node003.
std::string first_host(const std::string& hosts);

}  // namespace hasa
