// What the 8-bit kernels do with 32-bit sums: the same steps for products and depthwise
// convolutions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace waybill::cpu {

// What a sum becomes.
enum class SumTo : uint8_t { kI32, kU8, kI8, kF32 };

constexpr size_t SumToBytes(SumTo to) { return to == SumTo::kI32 || to == SumTo::kF32 ? 4 : 1; }

// y = sum + bias, modulo 2^32                                     for kI32;
// y = float(sum + bias) * scale                                   for kF32;
// y = clamp(round half even(float(sum + bias) * scale) + zero)    for kU8 and kI8, at the type's
//     range.
// `bias` and `scale` have one entry for each column and are padded with any value to whole vectors;
// `scale` is unused for kI32.
struct Requantize {
  SumTo to = SumTo::kI32;
  int32_t zero = 0;
  const int32_t* bias = nullptr;
  const float* scale = nullptr;
};

}  // namespace waybill::cpu
