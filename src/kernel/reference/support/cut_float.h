// Floats to integers without undefined behaviour.
#pragma once

#include <cstdint>
#include <type_traits>

namespace waybill::kernel::reference {

// A float cut toward zero. Past the range of int32 and int64 it becomes the most negative one, as
// does NaN; narrower and unsigned types keep the low bits of the wider integer.
template <typename T>
T CutFloat(double value) {
  if constexpr (std::is_same_v<T, uint64_t>) {
    if (value >= 0x1p63 && value < 0x1p64) return static_cast<uint64_t>(value);
  }
  if constexpr (std::is_same_v<T, int32_t>) {
    if (!(value > -0x1p31 - 1 && value < 0x1p31)) return INT32_MIN;
  }
  const int64_t wide = value >= -0x1p63 && value < 0x1p63 ? static_cast<int64_t>(value) : INT64_MIN;
  return static_cast<T>(wide);
}

}  // namespace waybill::kernel::reference
