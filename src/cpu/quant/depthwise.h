// The inner kernel of 8-bit depthwise convolutions: one filter for each channel, channels last.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/quant/requantize.h"
#include "cpu/simd/target.h"

namespace waybill::cpu {

// Rows of the padded input are widened to 16 bits, zero point taken off, and held two and two: the
// low half of a 32-bit element is the upper row's. Pair rows are [vector][column][lane].
struct DepthwiseRow {
  const int32_t* const* x = nullptr;  // [pair_rows], those that the output row reads
  size_t vector_stride = 0;           // from vector to vector of a pair row, in elements
  const int32_t* weights = nullptr;   // [vector][pair_rows][kernel_w][lane]
  size_t pair_rows = 0;
  size_t kernel_w = 0;
  size_t stride_w = 1;
  size_t dilation_w = 1;
  size_t out_w = 0;
  size_t channels = 0;  // of this call
  void* y = nullptr;    // [out_w][ldy] elements of the type that `out` says
  size_t ldy = 0;
  Requantize out;
};

// Two rows of the input as a pair row; a null row is padding.
template <class T>
struct RowPair {
  const T* upper = nullptr;  // [columns][ldx]
  const T* lower = nullptr;
  size_t columns = 0;
  size_t ldx = 0;
  size_t channels = 0;
  int32_t zero = 0;
  int32_t* pair = nullptr;  // where the first column lies
  size_t vector_stride = 0;
};

struct DepthwiseTable {
  size_t lanes = 1;
  void (*row)(const DepthwiseRow& args) = nullptr;
  void (*pair_u8)(const RowPair<uint8_t>& args) = nullptr;
  void (*pair_i8)(const RowPair<int8_t>& args) = nullptr;
};

const DepthwiseTable& QuantDepthwise(SimdTarget target);

}  // namespace waybill::cpu
