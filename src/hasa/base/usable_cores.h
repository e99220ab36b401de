#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

namespace hasa {

/// How many cores this process may use: those in its affinity mask, or
/// fewer by a container's CPU quota (1.5 cores count as 2). At least 1.
std::size_t usable_cores();

/// The smallest CPU quota of this process's control group and its ancestors, in cores: version 2
/// (cpu.max) or 1 (cpu.cfs_quota_us). nullopt: none. `root` holds proc/self/cgroup and sys/fs/cgroup.
std::optional<double> cpu_quota(const std::filesystem::path& root = "/");

/// The number of threads for so many cores under a quota.
std::size_t cores_within(std::size_t cores, std::optional<double> quota);

}  // namespace hasa
