// The size of the pages that memory and files are mapped in.
#pragma once

#include <unistd.h>

#include <cstddef>

namespace waybill {

// Of this machine: 4 KiB, on AArch64 also 16 or 64 KiB. A power of two. Thread-safe.
inline size_t PageBytes() noexcept {
  static const auto bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

}  // namespace waybill
