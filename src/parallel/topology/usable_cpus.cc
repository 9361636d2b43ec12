#include "parallel/topology/usable_cpus.h"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <memory>
#include <sstream>

#include "base/file/cgroup.h"

namespace waybill {
namespace {

std::optional<double> Ratio(double quota, double period) {
  if (!(quota > 0) || !(period > 0)) return std::nullopt;
  return quota / period;
}

// Quota of the one group whose files are in `folder`.
std::optional<double> QuotaAt(const std::string& folder, int version) {
  std::string quota;
  double period = 0;
  if (version == 2) {
    std::ifstream file(folder + "/cpu.max");
    if (!(file >> quota >> period)) return std::nullopt;
  } else {
    std::ifstream quota_file(folder + "/cpu.cfs_quota_us");
    std::ifstream period_file(folder + "/cpu.cfs_period_us");
    if (!(quota_file >> quota) || !(period_file >> period)) return std::nullopt;
  }
  std::istringstream number(quota);
  double value = 0;
  if (!(number >> value)) return std::nullopt;  // "max"
  return Ratio(value, period);
}

void KeepSmaller(std::optional<double>& smallest, std::optional<double> next) {
  if (next && (!smallest || *next < *smallest)) smallest = next;
}

}  // namespace

size_t AffinityCpus() {
  for (int cpus = 1024; cpus <= 1 << 20; cpus *= 2) {
    const auto free_set = [](cpu_set_t* set) { CPU_FREE(set); };
    const std::unique_ptr<cpu_set_t, decltype(free_set)> set(CPU_ALLOC(cpus), free_set);
    if (set == nullptr) return 1;
    const size_t bytes = CPU_ALLOC_SIZE(cpus);
    if (sched_getaffinity(0, bytes, set.get()) == 0) {
      return static_cast<size_t>(std::max(CPU_COUNT_S(bytes, set.get()), 1));
    }
    if (errno != EINVAL) return 1;  // EINVAL: the machine has more CPUs than the mask has bits
  }
  return 1;
}

std::optional<double> CgroupCpuQuota(const std::string& root) {
  std::optional<double> smallest;
  for (const CgroupFolder& group : CgroupFolders("cpu", root)) {
    KeepSmaller(smallest, QuotaAt(group.path, group.version));
  }
  return smallest;
}

size_t UsableCpus(const std::string& root) {
  const size_t affinity = AffinityCpus();
  const std::optional<double> quota = CgroupCpuQuota(root);
  if (!quota || *quota >= static_cast<double>(affinity)) return affinity;
  return std::max<size_t>(static_cast<size_t>(std::ceil(*quota)), 1);
}

}  // namespace waybill
