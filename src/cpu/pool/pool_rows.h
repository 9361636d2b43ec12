// Rows of f32 combined element by element, and reduced: what pooling is made of. One table per
// target.
#pragma once

#include <cstddef>

#include "cpu/simd/target.h"

namespace waybill::cpu {

struct PoolRows {
  // to[i] = to[i] op x[i * stride], for i in [0, n). `max` keeps NaN of either side.
  void (*max)(float* to, const float* x, size_t stride, size_t n) = nullptr;
  void (*add)(float* to, const float* x, size_t stride, size_t n) = nullptr;
  // All n elements as one; `max_of` of none is -infinity, `sum_of` 0.
  float (*max_of)(const float* x, size_t n) = nullptr;
  float (*sum_of)(const float* x, size_t n) = nullptr;
};

const PoolRows& PoolRowFunctions(SimdTarget target);

}  // namespace waybill::cpu
