// The passes of layer, group and batch normalization over f32 rows, one table per SIMD target.
#pragma once

#include <cstddef>

#include "cpu/simd/target.h"

namespace waybill::cpu {

// Sums run in float over pieces of a row and in double over the pieces, in a fixed order.
struct NormalizeTable {
  // sum of x[i]
  double (*sum)(const float* x, size_t n);
  // sum of (x[i] - mean)^2
  double (*squares)(const float* x, float mean, size_t n);
  // y[i] = (x[i] - mean) * factor * scale[i] + bias[i]; null: 1 and 0. `y` may be `x`.
  void (*scale)(const float* x, float mean, float factor, const float* scale, const float* bias,
                float* y, size_t n);
  // y[i] = (x[i] - mean) * factor + bias. `y` may be `x`.
  void (*shift)(const float* x, float mean, float factor, float bias, float* y, size_t n);
  // y[i] = a[i] + b[i] (+ c[i] unless null). `y` may be any of them.
  void (*add)(const float* a, const float* b, const float* c, float* y, size_t n);
};

const NormalizeTable& Normalize(SimdTarget target);

struct RowMoments {
  float mean = 0;               // 0 for root mean square
  float inverse_deviation = 0;  // 1 / sqrt(variance + epsilon)
};

// Of a row of n numbers; `centered`: around its mean, otherwise around 0.
RowMoments MomentsOf(const NormalizeTable& table, const float* x, size_t n, bool centered,
                     float epsilon);

}  // namespace waybill::cpu
