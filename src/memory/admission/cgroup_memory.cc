#include "memory/admission/cgroup_memory.h"

#include <algorithm>
#include <array>
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
  // Entries of memory.stat. Pages in the lists of files can be dropped once they are clean; shared
  // memory and locked pages are in other lists.
  std::array<std::string_view, 2> file_pages;
  std::array<std::string_view, 2> unclean_pages;
};
constexpr Files kFiles[] = {
    {"/memory.limit_in_bytes",
     "/memory.usage_in_bytes",
     {"total_inactive_file", "total_active_file"},
     {"total_dirty", "total_writeback"}},
    {"/memory.max",
     "/memory.current",
     {"inactive_file", "active_file"},
     {"file_dirty", "file_writeback"}},
};

// Version 1 writes a number near 2^63 where there is no limit.
constexpr uint64_t kNoLimit = uint64_t{1} << 62;

std::optional<uint64_t> ReadNumber(const std::string& path) {
  std::ifstream file(path);
  uint64_t number = 0;
  if (!(file >> number)) return std::nullopt;  // "max"
  return number;
}

// Clean pages of files, by a memory.stat.
uint64_t ReadDroppable(const std::string& path, const Files& files) {
  std::ifstream file(path);
  std::string key;
  uint64_t number = 0, in_files = 0, unclean = 0;
  while (file >> key >> number) {
    if (std::ranges::count(files.file_pages, key) != 0) in_files += number;
    if (std::ranges::count(files.unclean_pages, key) != 0) unclean += number;
  }
  return in_files - std::min(in_files, unclean);
}

std::optional<size_t> LeftIn(const CgroupFolder& group) {
  const Files& files = kFiles[group.version == 2];
  const auto limit = ReadNumber(group.path + files.limit);
  const auto used = ReadNumber(group.path + files.used);
  if (!limit || *limit >= kNoLimit || !used) return std::nullopt;
  const uint64_t droppable = ReadDroppable(group.path + "/memory.stat", files);
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
