// Floats to bytes and back, and bytes with bytes, on plain pointers of any alignment.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/simd/target.h"

namespace waybill::cpu {

// y = clamp(round half even((a - a_zero) * a_factor + (b - b_zero) * b_factor) + y_zero).
struct ByteSum {
  int32_t a_zero = 0, b_zero = 0, y_zero = 0;
  float a_factor = 0, b_factor = 0;
};

struct FloatRange {
  float low = 0, high = 0;
};

// One set for uint8_t and one for int8_t.
template <class T>
struct ByteFns {
  // y = clamp(round half even(x / scale) + zero); NaN becomes the lowest value.
  void (*quantize)(const float* x, size_t count, float scale, int32_t zero, T* y) = nullptr;
  // y = (x - zero) * scale.
  void (*dequantize)(const T* x, size_t count, float scale, int32_t zero, float* y) = nullptr;
  void (*add)(const T* a, const T* b, size_t count, const ByteSum& how, T* y) = nullptr;
  // sums[c] = sum of x[row][c] over all rows.
  void (*sum_rows)(const T* x, size_t rows, size_t columns, int32_t* sums) = nullptr;
};

struct ByteTable {
  ByteFns<uint8_t> u8;
  ByteFns<int8_t> i8;
  // The range of x and 0; NaN is passed over.
  FloatRange (*range)(const float* x, size_t count) = nullptr;
};

const ByteTable& ByteKernelsOf(SimdTarget target);

template <class T>
const ByteFns<T>& ByteFnsOf(SimdTarget target) {
  if constexpr (sizeof(T) == 1 && T(-1) < T(0)) {
    return ByteKernelsOf(target).i8;
  } else {
    return ByteKernelsOf(target).u8;
  }
}

}  // namespace waybill::cpu
