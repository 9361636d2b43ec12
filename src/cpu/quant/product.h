// The inner kernel of all 8-bit matrix products and convolutions.
//
// Operands are widened to 16 bits with their zero points taken off, so that sums are exact for
// every pair of 8-bit types and padding is 0. Elements are multiplied in pairs along k.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/quant/requantize.h"
#include "cpu/simd/target.h"

namespace waybill::cpu {

// C[m x n] = sum over segments s and k < 2 * pairs of
//            a[rows[i] + segments[s] + k] * (k % 2 half of panel[s][k / 2][column]), requantized.
// A product has one segment; a convolution has one for each run of taps that lie side by side.
// Where a run has odd length the last pair reads one element more, against a weight of 0.
struct ProductArgs {
  const int16_t* a = nullptr;
  const uint32_t* rows = nullptr;      // [m] where the rows begin, in elements
  const uint32_t* segments = nullptr;  // [segment_count]
  size_t segment_count = 1;
  size_t pairs = 0;                // of each segment
  const int32_t* panel = nullptr;  // [segment_count][pairs][width], width: n in whole vectors;
                                   // pairs of weights, the first in the low half
  size_t m = 0;
  size_t n = 0;       // 1 .. nr
  void* c = nullptr;  // [m][ldc] elements of the type that `out` says
  size_t ldc = 0;
  Requantize out;
};

struct ProductTable {
  size_t lanes = 1;  // sums in a vector
  size_t nr = 1;     // columns of a full panel
  size_t mr = 1;     // rows of a tile
  void (*run)(const ProductArgs& args) = nullptr;
  // y[i] = x[i] - zero, for unsigned and for signed bytes.
  void (*widen_u8)(const uint8_t* x, size_t count, int32_t zero, int16_t* y) = nullptr;
  void (*widen_i8)(const int8_t* x, size_t count, int32_t zero, int16_t* y) = nullptr;
};

const ProductTable& QuantProduct(SimdTarget target);

}  // namespace waybill::cpu
