#include "parallel/topology/usable_cpus.h"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <memory>
#include <sstream>
#include <vector>

namespace waybill {
namespace {

// One cgroup hierarchy as it is mounted.
struct Mount {
  int version = 2;
  std::string folder;       // where
  std::string group = "/";  // which group of the hierarchy is seen there
};

bool HasWord(const std::string& comma_list, const std::string& word) {
  return ("," + comma_list + ",").find("," + word + ",") != std::string::npos;
}

// From /proc/self/mountinfo: "36 35 98:0 GROUP FOLDER options optional... - TYPE source OPTIONS".
std::vector<Mount> ReadMounts(const std::string& root) {
  std::vector<Mount> mounts;
  std::ifstream file(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    const size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    std::istringstream before(line.substr(0, dash));
    std::istringstream after(line.substr(dash + 3));
    std::string skip, type, options;
    Mount mount;
    before >> skip >> skip >> skip >> mount.group >> mount.folder;
    after >> type >> skip >> options;
    if (type == "cgroup2") {
      mounts.push_back(mount);
    } else if (type == "cgroup" && HasWord(options, "cpu")) {
      mount.version = 1;
      mounts.push_back(mount);
    }
  }
  if (mounts.empty()) {
    mounts = {{2, "/sys/fs/cgroup", "/"}, {1, "/sys/fs/cgroup/cpu", "/"}};
  }
  return mounts;
}

struct OwnGroups {
  std::optional<std::string> v1;
  std::optional<std::string> v2;
};

// From /proc/self/cgroup: "0::/path" for version 2, "4:cpu,cpuacct:/path" for version 1.
OwnGroups ReadOwnGroups(const std::string& root) {
  OwnGroups own;
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const size_t first = line.find(':');
    const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    if (controllers.empty() && line.starts_with("0:")) own.v2 = path;
    if (HasWord(controllers, "cpu")) own.v1 = path;
  }
  return own;
}

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

// `path` as seen below a mount that shows `group`; "" when it is not below it. Then the group of
// the mount itself is all that can be read, which in a container is the process's own.
std::string Relative(const std::string& path, const std::string& group) {
  if (group == "/") return path == "/" ? "" : path;
  if (path == group || !path.starts_with(group + "/")) return "";
  return path.substr(group.size());
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
  const OwnGroups own = ReadOwnGroups(root);
  std::optional<double> smallest;
  for (const Mount& mount : ReadMounts(root)) {
    const std::optional<std::string>& path = mount.version == 2 ? own.v2 : own.v1;
    if (!path) continue;
    const std::string folder = root + mount.folder;
    std::string group = Relative(*path, mount.group);
    while (true) {
      KeepSmaller(smallest, QuotaAt(folder + group, mount.version));
      if (group.empty()) break;
      const size_t slash = group.rfind('/');
      group.resize(slash == std::string::npos ? 0 : slash);
    }
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
