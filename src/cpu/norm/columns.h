// Layer normalization down the columns of an f32 matrix, one function per SIMD target.
#pragma once

#include <cstddef>

#include "cpu/simd/target.h"

namespace waybill::cpu {

// x and y are [size, inner], dense. Each column is normalized by its own mean and deviation.
struct ColumnNorm {
  const float* x;
  float* y;  // may be `x`
  size_t size = 0, inner = 0;
  float epsilon = 0;
  const float* scale;  // [size]
  const float* bias;   // [size]; null: 0
};

// Columns [begin, end). What a column gives does not depend on the range it is in.
using NormalizeColumnsFn = void (*)(const ColumnNorm& args, size_t begin, size_t end);

NormalizeColumnsFn NormalizeColumns(SimdTarget target);

}  // namespace waybill::cpu
