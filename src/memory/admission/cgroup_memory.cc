#include "memory/admission/cgroup_memory.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string_view>

#include "base/file/cgroup.h"

namespace waybill {
namespace {

// The names that the two versions give to the same things.
struct Files {
  const char* limit;
  const char* used;
  const char* droppable;  // an entry of memory.stat
};
constexpr Files kFiles[] = {
    {"/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_inactive_file"},
    {"/memory.max", "/memory.current", "inactive_file"},
};

// Version 1 writes a number near 2^63 where there is no limit.
constexpr uint64_t kNoLimit = uint64_t{1} << 62;

std::optional<uint64_t> ReadNumber(const std::string& path) {
  std::ifstream file(path);
  uint64_t number = 0;
  if (!(file >> number)) return std::nullopt;  // "max"
  return number;
}

uint64_t ReadEntry(const std::string& path, std::string_view name) {
  std::ifstream file(path);
  std::string key;
  uint64_t number = 0;
  while (file >> key >> number) {
    if (key == name) return number;
  }
  return 0;
}

std::optional<size_t> LeftIn(const CgroupFolder& group) {
  const Files& files = kFiles[group.version == 2];
  const auto limit = ReadNumber(group.path + files.limit);
  const auto used = ReadNumber(group.path + files.used);
  if (!limit || *limit >= kNoLimit || !used) return std::nullopt;
  const uint64_t droppable = ReadEntry(group.path + "/memory.stat", files.droppable);
  const uint64_t kept = *used - std::min(*used, droppable);
  return *limit - std::min(*limit, kept);
}

}  // namespace

std::optional<size_t> CgroupMemoryLeft(const std::string& root) {
  std::optional<size_t> least;
  for (const CgroupFolder& group : CgroupFolders("memory", root)) {
    const auto left = LeftIn(group);
    if (left && (!least || *left < *least)) least = left;
  }
  return least;
}

}  // namespace waybill
