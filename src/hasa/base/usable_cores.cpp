#include "hasa/base/usable_cores.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>

namespace hasa {
namespace {

namespace fs = std::filesystem;

std::size_t cores_to_run_on() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return static_cast<std::size_t>(std::max(1, CPU_COUNT(&set)));
  return std::max(1U, std::thread::hardware_concurrency());
}

/// "200000 100000" or "max 100000": microseconds of CPU time in a period of so many.
std::optional<double> quota_v2(const fs::path& group) {
  double quota = 0, period = 0;
  if (!(std::ifstream(group / "cpu.max") >> quota >> period) || quota <= 0 || period <= 0) return std::nullopt;
  return quota / period;
}

/// -1 microseconds: no quota.
std::optional<double> quota_v1(const fs::path& group) {
  double quota = 0, period = 0;
  const bool found = (std::ifstream(group / "cpu.cfs_quota_us") >> quota) &&
                     (std::ifstream(group / "cpu.cfs_period_us") >> period) && quota > 0 && period > 0;
  if (!found) return std::nullopt;
  return quota / period;
}

std::optional<double> least(std::optional<double> a, std::optional<double> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

/// The least quota from a group up to the root of its hierarchy. A container that sees its own groups only has its
/// quota at the root, whatever path the kernel reports.
template <class ReadQuota>
std::optional<double> least_up_to_root(const fs::path& hierarchy, std::string_view group, const ReadQuota& read_quota) {
  std::optional<double> found;
  for (fs::path relative = fs::path(group).relative_path(); !relative.empty(); relative = relative.parent_path())
    found = least(found, read_quota(hierarchy / relative));
  return least(found, read_quota(hierarchy));
}

bool names_cpu(std::string_view controllers) {
  return controllers == "cpu" || controllers.starts_with("cpu,") || controllers.ends_with(",cpu") ||
         controllers.find(",cpu,") != std::string_view::npos;
}

}  // namespace

std::optional<double> cpu_quota(const fs::path& root) {
  const fs::path hierarchies = root / "sys/fs/cgroup";
  std::optional<double> found;
  // Lines are "number:controllers:path"; version 2 names no controllers.
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1), group = line.substr(second + 1);
    if (controllers.empty()) {
      found = least(found, least_up_to_root(hierarchies, group, quota_v2));
      found = least(found, least_up_to_root(hierarchies / "unified", group, quota_v2));
    } else if (names_cpu(controllers)) {
      const fs::path mounted = fs::exists(hierarchies / controllers) ? controllers : "cpu";
      found = least(found, least_up_to_root(hierarchies / mounted, group, quota_v1));
    }
  }
  return found;
}

std::size_t cores_within(std::size_t cores, std::optional<double> quota) {
  if (!quota) return cores;
  return std::clamp<std::size_t>(static_cast<std::size_t>(std::ceil(*quota)), 1, cores);
}

std::size_t usable_cores() {
  static const std::optional<double> quota = cpu_quota();
  return cores_within(cores_to_run_on(), quota);
}

}  // namespace hasa
