// float16 to float and back on plain pointers, one table per target.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/simd/target.h"

namespace waybill::cpu {

// `n` elements, any count; the arrays do not overlap. Rounding is to the nearest, ties to even.
struct HalfTable {
  void (*to_float)(const uint16_t* in, float* out, size_t n) = nullptr;
  void (*from_float)(const float* in, uint16_t* out, size_t n) = nullptr;
};

const HalfTable& HalfFunctions(SimdTarget target);

}  // namespace waybill::cpu
