#include "parallel/topology/usable_cpus.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <optional>
#include <string>
#include <thread>

#include "tests/support/temp_dir.h"

namespace waybill {
namespace {

class Topology : public testing::Test {
 protected:
  std::string Root() const { return root_.path().string(); }
  std::optional<double> Quota() const { return CgroupCpuQuota(Root()); }

  test::TempDir root_;
};

TEST_F(Topology, NothingThereMeansNoQuota) {
  EXPECT_EQ(Quota(), std::nullopt);
  EXPECT_EQ(UsableCpus(Root()), AffinityCpus());
}

TEST_F(Topology, Version2SmallestOnTheWayUpWins) {
  root_.Write("proc/self/cgroup", "0::/a.slice/b.scope/c\n");
  root_.Write("sys/fs/cgroup/a.slice/b.scope/c/cpu.max", "max 100000\n");
  EXPECT_EQ(Quota(), std::nullopt);
  root_.Write("sys/fs/cgroup/a.slice/b.scope/cpu.max", "250000 100000\n");
  EXPECT_EQ(Quota(), 2.5);
  root_.Write("sys/fs/cgroup/a.slice/cpu.max", "150000 100000\n");
  EXPECT_EQ(Quota(), 1.5);
  root_.Write("sys/fs/cgroup/a.slice/b.scope/c/cpu.max", "400000 100000\n");
  EXPECT_EQ(Quota(), 1.5);
  root_.Write("sys/fs/cgroup/other/cpu.max", "1000 100000\n");
  EXPECT_EQ(Quota(), 1.5);
}

TEST_F(Topology, Version2InAContainerOfItsOwn) {
  root_.Write("proc/self/cgroup", "0::/\n");
  root_.Write("sys/fs/cgroup/cpu.max", "50000 100000\n");
  EXPECT_EQ(Quota(), 0.5);
  EXPECT_EQ(UsableCpus(Root()), 1u);
}

TEST_F(Topology, Version1ByMountInfo) {
  root_.Write("proc/self/cgroup",
              "5:cpuset:/x\n4:cpu,cpuacct:/docker/abc/sub\n1:name=systemd:/s\n");
  root_.Write("proc/self/mountinfo",
              "30 25 0:26 /x /sys/fs/cgroup/cpuset ro,nosuid - cgroup cgroup rw,cpuset\n"
              "31 25 0:27 /docker/abc /sys/fs/cgroup/cpu,cpuacct ro shared:9 - cgroup cgroup "
              "rw,cpu,cpuacct\n");
  root_.Write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  root_.Write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(Quota(), std::nullopt);
  root_.Write("sys/fs/cgroup/cpu,cpuacct/sub/cpu.cfs_quota_us", "300000\n");
  root_.Write("sys/fs/cgroup/cpu,cpuacct/sub/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(Quota(), 3.0);
  root_.Write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "200000\n");
  EXPECT_EQ(Quota(), 2.0);
}

TEST_F(Topology, Version1MountThatDoesNotShowThePath) {
  root_.Write("proc/self/cgroup", "4:cpuacct,cpu:/docker/abc\n");
  root_.Write("proc/self/mountinfo",
              "31 25 0:27 /elsewhere /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpuacct,cpu\n");
  root_.Write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "120000\n");
  root_.Write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(Quota(), 1.2);
}

TEST_F(Topology, BrokenFilesAreNoQuota) {
  root_.Write("proc/self/cgroup", "0::/a\nnonsense\n:\n");
  for (const char* text : {"", "100000", "0 100000", "100 0", "-5 100", "abc def", "100000 x"}) {
    root_.Write("sys/fs/cgroup/a/cpu.max", text);
    EXPECT_EQ(Quota(), std::nullopt) << text;
  }
}

TEST_F(Topology, FollowsTheAffinityOfTheCaller) {
  // In a thread of its own, so that the mask of the test program stays as it is.
  std::thread([] {
    cpu_set_t set;
    ASSERT_EQ(sched_getaffinity(0, sizeof(set), &set), 0);
    EXPECT_EQ(AffinityCpus(), static_cast<size_t>(CPU_COUNT(&set)));
    int first = 0;
    while (!CPU_ISSET(first, &set)) ++first;
    CPU_ZERO(&set);
    CPU_SET(first, &set);
    ASSERT_EQ(sched_setaffinity(0, sizeof(set), &set), 0);
    EXPECT_EQ(AffinityCpus(), 1u);
    EXPECT_EQ(UsableCpus(), 1u);
  }).join();
}

}  // namespace
}  // namespace waybill
