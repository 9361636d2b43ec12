// The inner kernel of products of unsigned bytes with weights in BytePanels.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/quant/requantize.h"
#include "cpu/simd/target.h"

namespace waybill::cpu {

// C[m x n] = sum over steps s and i < 4 of
//            a[rows[i] + offsets[s] + i] * (byte i of panel[s][column]), requantized.
struct ByteProductArgs {
  const uint8_t* a = nullptr;
  const uint32_t* rows = nullptr;     // [m] where the rows begin
  const uint32_t* offsets = nullptr;  // [steps]
  size_t steps = 0;
  const int32_t* panel = nullptr;  // [steps][width], width: n in whole vectors
  size_t m = 0;
  size_t n = 0;       // 1 .. nr
  void* c = nullptr;  // [m][ldc]
  size_t ldc = 0;
  Requantize out;
};

struct ByteProductTable {
  size_t lanes = 1;
  size_t nr = 1;
  size_t mr = 1;
  void (*run)(const ByteProductArgs& args) = nullptr;  // null: this target gains nothing by it
};

const ByteProductTable& QuantByteProduct(SimdTarget target);

}  // namespace waybill::cpu
