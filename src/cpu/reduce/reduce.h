// Reductions of f32 on plain pointers, one table per SIMD target.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/simd/target.h"

namespace waybill::cpu {

// The running value of a reduction over many runs of numbers: sums in double.
struct RowReduction {
  double start;
  // `value` with n more numbers taken in.
  double (*take)(double value, const float* x, size_t n);
};

struct ColumnReduction {
  float start;
  // totals[c] takes in x[r * stride + c] for all rows r, for c in [0, columns). The order of the
  // rows is the order of the sum; a column does not depend on its neighbours.
  void (*take)(const float* x, size_t rows, size_t stride, size_t columns, float* totals);
};

struct Reduction {
  RowReduction row;
  ColumnReduction columns;
};

enum class ReduceOp : uint8_t { kSum, kSumSquare, kSumAbs, kMax, kMin, kProduct };

// Max and Min keep a NaN.
const Reduction& ReductionOf(SimdTarget target, ReduceOp op);

// The place of the largest (smallest) number: the first or the last of equal ones; NaN counts as
// both.
struct ArgTable {
  // Of n > 0 numbers.
  size_t (*row)(const float* x, size_t n, bool smallest, bool last);
  // Of each column of [size x inner], for columns [begin, end), to places[column].
  void (*columns)(const float* x, size_t size, size_t inner, size_t begin, size_t end,
                  bool smallest, bool last, int64_t* places);
};

const ArgTable& ArgExtremes(SimdTarget target);

}  // namespace waybill::cpu
