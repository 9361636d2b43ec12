#include "base/file/cgroup.h"

#include <fstream>
#include <optional>
#include <sstream>

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
std::vector<Mount> ReadMounts(const std::string& controller, const std::string& root) {
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
    } else if (type == "cgroup" && HasWord(options, controller)) {
      mount.version = 1;
      mounts.push_back(mount);
    }
  }
  if (mounts.empty()) {
    mounts = {{2, "/sys/fs/cgroup", "/"}, {1, "/sys/fs/cgroup/" + controller, "/"}};
  }
  return mounts;
}

struct OwnGroups {
  std::optional<std::string> v1;
  std::optional<std::string> v2;
};

// From /proc/self/cgroup: "0::/path" for version 2, "4:cpu,cpuacct:/path" for version 1.
OwnGroups ReadOwnGroups(const std::string& controller, const std::string& root) {
  OwnGroups own;
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const size_t first = line.find(':');
    const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    if (controllers.empty() && line.starts_with("0:")) own.v2 = path;
    if (HasWord(controllers, controller)) own.v1 = path;
  }
  return own;
}

// `path` as seen below a mount that shows `group`; "" when it is not below it. Then the group of
// the mount itself is all that can be read, which in a container is the process's own.
std::string Relative(const std::string& path, const std::string& group) {
  if (group == "/") return path == "/" ? "" : path;
  if (path == group || !path.starts_with(group + "/")) return "";
  return path.substr(group.size());
}

}  // namespace

std::vector<CgroupFolder> CgroupFolders(const std::string& controller, const std::string& root) {
  const OwnGroups own = ReadOwnGroups(controller, root);
  std::vector<CgroupFolder> folders;
  for (const Mount& mount : ReadMounts(controller, root)) {
    const std::optional<std::string>& path = mount.version == 2 ? own.v2 : own.v1;
    if (!path) continue;
    const std::string folder = root + mount.folder;
    std::string group = Relative(*path, mount.group);
    while (true) {
      folders.push_back({folder + group, mount.version});
      if (group.empty()) break;
      const size_t slash = group.rfind('/');
      group.resize(slash == std::string::npos ? 0 : slash);
    }
  }
  return folders;
}

}  // namespace waybill
