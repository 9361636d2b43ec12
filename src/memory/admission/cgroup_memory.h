// How much memory the control groups of this process still allow.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace waybill {

// The least of what the groups on the way from this process's own to the root have left: limit less
// use, clean pages of files, which can be dropped, not counted as use; 0 where more is in use.
// Nothing when no group has a limit. `root` as in CgroupFolders.
std::optional<size_t> CgroupMemoryLeft(const std::string& root = "");

}  // namespace waybill
