// Moving elements by their width alone, whatever they mean: plain pointers, one table per target.
// Pointers need no alignment beyond a byte; source and destination do not overlap. Strides are in
// bytes and may be negative or zero on the source side.
#pragma once

#include <array>
#include <cstddef>

#include "cpu/simd/target.h"

namespace waybill::cpu {

// Source element [r][c] at src + r * src_stride + c * width goes to dst + c * dst_stride +
// r * width.
using TransposeFn = void (*)(std::byte* dst, ptrdiff_t dst_stride, const std::byte* src,
                             ptrdiff_t src_stride, size_t rows, size_t cols);

// dst[i] (contiguous) = the element at src + i * src_stride.
using GatherLineFn = void (*)(std::byte* dst, const std::byte* src, ptrdiff_t src_stride,
                              size_t count);

// Widths 1, 2, 4, 8 and 16 bytes, at index log2(width).
inline constexpr size_t kMoveWidths = 5;

struct MoveTable {
  std::array<TransposeFn, kMoveWidths> transpose = {};
  std::array<GatherLineFn, kMoveWidths> gather_line = {};
};

const MoveTable& MoveFunctions(SimdTarget target);

}  // namespace waybill::cpu
