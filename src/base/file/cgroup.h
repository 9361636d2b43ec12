// Where the limits of this process's control groups are written.
#pragma once

#include <string>
#include <vector>

namespace waybill {

struct CgroupFolder {
  std::string path;
  int version = 2;  // of the hierarchy: 1 or 2; their files differ
};

// The folders of the groups that limit this process for `controller` ("cpu", "memory"): of version
// 2 and of version 1, from the own group up to the root of what is mounted. Empty where there are
// none. `root` is put before every path that is read: "" is the real system, a folder is a test's
// tree.
std::vector<CgroupFolder> CgroupFolders(const std::string& controller,
                                        const std::string& root = "");

}  // namespace waybill
