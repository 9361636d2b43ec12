// Softmax and LogSoftmax of f32 on plain pointers, one table per SIMD target.
#pragma once

#include <cstddef>

#include "cpu/simd/target.h"

namespace waybill::cpu {

// `y` may be `x` itself.
struct SoftmaxFunctions {
  // Over each of `rows` rows of `size` numbers, one after the other.
  void (*rows)(const float* x, float* y, size_t rows, size_t size);
  // Over the first axis of a matrix [size x inner], for columns [begin, end). A column's values do
  // not depend on the range it is in.
  void (*columns)(const float* x, float* y, size_t size, size_t inner, size_t begin, size_t end);
};

struct SoftmaxTable {
  SoftmaxFunctions softmax, log_softmax;
};

const SoftmaxTable& Softmax(SimdTarget target);

}  // namespace waybill::cpu
