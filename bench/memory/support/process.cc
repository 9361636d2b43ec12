#include "bench/memory/support/process.h"

#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace waybill::bench {
namespace {

constexpr uint64_t kPresent = uint64_t{1} << 63;

// Bytes of the range that lie in writable mappings.
size_t MappedBytes(uint64_t begin, uint64_t end) {
  std::ifstream maps("/proc/self/maps");
  if (!maps) throw std::runtime_error("/proc/self/maps can not be read");
  size_t mapped = 0;
  std::string line;
  while (std::getline(maps, line)) {
    unsigned long long first = 0, last = 0;
    char access[5] = {};
    if (std::sscanf(line.c_str(), "%llx-%llx %4s", &first, &last, access) != 3) continue;
    if (access[1] != 'w' || last <= begin || first >= end) continue;
    mapped += std::min<uint64_t>(last, end) - std::max<uint64_t>(first, begin);
  }
  return mapped;
}

}  // namespace

size_t AnonymousBytes() {
  // Without the heap, which is part of what is measured.
  char text[4096] = {};
  const int file = open("/proc/self/smaps_rollup", O_RDONLY | O_CLOEXEC);
  const ssize_t got = file < 0 ? -1 : read(file, text, sizeof text - 1);
  if (file >= 0) close(file);
  const char* const line = got > 0 ? std::strstr(text, "\nAnonymous:") : nullptr;
  size_t kib = 0;
  if (line == nullptr || std::sscanf(line, "\nAnonymous: %zu", &kib) != 1) {
    throw std::runtime_error("/proc/self/smaps_rollup can not be read");
  }
  return kib * 1024;
}

RangeBytes ReadRange(uint64_t address, size_t bytes) {
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const uint64_t begin = address / page, end = (address + bytes + page - 1) / page;
  RangeBytes out;
  out.mapped = MappedBytes(address, address + bytes);
  const int file = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (file < 0) throw std::runtime_error("/proc/self/pagemap can not be read");
  std::vector<uint64_t> entries(end - begin);
  const size_t wanted = entries.size() * sizeof(uint64_t);
  const ssize_t got =
      pread(file, entries.data(), wanted, static_cast<off_t>(begin * sizeof(uint64_t)));
  close(file);
  if (got != static_cast<ssize_t>(wanted)) throw std::runtime_error("/proc/self/pagemap is short");
  for (const uint64_t entry : entries) out.resident += (entry & kPresent) != 0 ? page : 0;
  return out;
}

void TrimHeap() { malloc_trim(0); }

}  // namespace waybill::bench
