// How many CPUs this process may use: what the scheduler allows and what its cgroups pay for.
// Nothing here ever sets an affinity.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace waybill {

// CPUs in this thread's affinity mask; at least 1.
size_t AffinityCpus();

// The smallest CPU quota, in CPUs, on the way from this process's cgroup to the root, of version 2
// (cpu.max) and version 1 (cpu.cfs_quota_us) alike. Nothing when no group has a quota.
// `root` is put before every path that is read: "" is the real system, a folder is a test's tree.
std::optional<double> CgroupCpuQuota(const std::string& root = "");

// min(affinity, quota rounded up); at least 1.
size_t UsableCpus(const std::string& root = "");

}  // namespace waybill
