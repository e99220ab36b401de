#include "hasa/base/usable_cores.h"

#include <sched.h>

#include "hasa/base/file.h"
#include "hasa/base/testing.h"

namespace hasa {
namespace {

namespace fs = std::filesystem;

/// A root folder with the files that the kernel would show.
class CpuQuota : public ::testing::Test {
 protected:
  void shows(const std::string& path, const std::string& content) {
    fs::create_directories((dir_ / path).parent_path());
    write_file(dir_ / path, content);
  }
  std::optional<double> quota() const { return cpu_quota(dir_.path()); }

  testing::TempDir dir_;
};

TEST_F(CpuQuota, IsReadFromVersion2) {
  shows("proc/self/cgroup", "0::/jobs/one\n");
  shows("sys/fs/cgroup/jobs/one/cpu.max", "150000 100000\n");
  EXPECT_EQ(quota(), 1.5);
}

TEST_F(CpuQuota, IsTheLeastOfAllGroupsAroundTheProcess) {
  shows("proc/self/cgroup", "0::/jobs/one\n");
  shows("sys/fs/cgroup/cpu.max", "800000 100000\n");
  shows("sys/fs/cgroup/jobs/cpu.max", "50000 100000\n");
  shows("sys/fs/cgroup/jobs/one/cpu.max", "max 100000\n");
  EXPECT_EQ(quota(), 0.5);
}

TEST_F(CpuQuota, IsFoundAtTheRootWhereAContainerSeesNoMore) {
  shows("proc/self/cgroup", "0::/a/path/outside/of/the/container\n");
  shows("sys/fs/cgroup/cpu.max", "300000 100000\n");
  EXPECT_EQ(quota(), 3.0);
}

TEST_F(CpuQuota, IsReadFromVersion1) {
  shows("proc/self/cgroup", "9:memory:/docker/x\n4:cpu,cpuacct:/docker/x\n1:cpuset:/docker/x\n");
  shows("sys/fs/cgroup/cpu,cpuacct/docker/x/cpu.cfs_quota_us", "250000\n");
  shows("sys/fs/cgroup/cpu,cpuacct/docker/x/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), 2.5);
}

TEST_F(CpuQuota, IsReadFromVersion1UnderItsShortName) {
  shows("proc/self/cgroup", "4:cpuacct,cpu:/\n");
  shows("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000\n");
  shows("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), 0.5);
}

TEST_F(CpuQuota, IsNoneIfNotSet) {
  EXPECT_EQ(quota(), std::nullopt);
  shows("proc/self/cgroup", "0::/\n4:cpu:/\nnonsense\n1:cpuset:/\n");
  EXPECT_EQ(quota(), std::nullopt);
  shows("sys/fs/cgroup/cpu.max", "max 100000\n");
  shows("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  shows("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), std::nullopt);
}

TEST(UsableCores, AreNoMoreThanTheQuotaRoundedUp) {
  EXPECT_EQ(cores_within(8, std::nullopt), 8U);
  EXPECT_EQ(cores_within(8, 0.2), 1U);
  EXPECT_EQ(cores_within(8, 1.0), 1U);
  EXPECT_EQ(cores_within(8, 1.5), 2U);
  EXPECT_EQ(cores_within(8, 64.0), 8U);
}

TEST(UsableCores, AreThoseTheProcessMayRunOn) {
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  int allowed = 0;
  while (!CPU_ISSET(allowed, &before)) ++allowed;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(allowed, &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(usable_cores(), 1U);
  ::sched_setaffinity(0, sizeof before, &before);
}

}  // namespace
}  // namespace hasa
