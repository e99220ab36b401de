#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

namespace hasa {

/// How many cores' worth of time this process may use: those it may run on, or fewer where a container's CPU quota
/// says so (1.5 cores count as 2). At least 1.
std::size_t usable_cores();

/// The CPU quota of this process's control group or of one that holds it, whichever is least, in cores: version 2
/// (cpu.max) or 1 (cpu.cfs_quota_us). nullopt: none. `root` holds proc/self/cgroup and sys/fs/cgroup.
std::optional<double> cpu_quota(const std::filesystem::path& root = "/");

/// The number of threads that a quota leaves of so many cores.
std::size_t cores_within(std::size_t cores, std::optional<double> quota);

}  // namespace hasa
