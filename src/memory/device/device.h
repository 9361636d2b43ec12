// Where bytes live.
#pragma once

#include <cstdint>
#include <string>

#include "base/text/format.h"

namespace waybill {

// What kind of memory an address is in. Only kCpu addresses may be read or written by host code.
enum class DeviceKind : uint8_t { kCpu = 0, kCuda = 1, kStrict = 2 };

// One memory space of the process. A value type; two equal Devices are the same memory.
struct Device {
  DeviceKind kind = DeviceKind::kCpu;
  int16_t index = 0;

  bool operator==(const Device&) const = default;
  bool host_accessible() const { return kind == DeviceKind::kCpu; }
  std::string ToString() const {
    const char* names[] = {"cpu", "cuda", "strict"};
    return Format("{}:{}", names[static_cast<int>(kind)], index);
  }
};

}  // namespace waybill
