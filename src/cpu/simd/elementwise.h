// Elementwise f32 arithmetic on plain pointers, one table per target.
#pragma once

#include <cstddef>

#include "cpu/simd/target.h"

namespace waybill::cpu {

// `n` elements, any count and alignment of float. An output may be the very array of an input.
// `a` and `b` are arrays of n, or one element where the name says scalar.
using BinaryF32Fn = void (*)(const float* a, const float* b, float* out, size_t n);
using UnaryF32Fn = void (*)(const float* x, float* out, size_t n);

struct BinaryF32 {
  BinaryF32Fn both = nullptr;      // a[i] op b[i]
  BinaryF32Fn b_scalar = nullptr;  // a[i] op b[0]
  BinaryF32Fn a_scalar = nullptr;  // a[0] op b[i]
};

struct ElementwiseF32Table {
  BinaryF32 add, sub, mul, div;
  UnaryF32Fn relu = nullptr;  // max(x, 0); NaN stays NaN, -0 stays -0
};

const ElementwiseF32Table& ElementwiseF32(SimdTarget target);

}  // namespace waybill::cpu
