// The inner kernel of depthwise convolutions over [N, H, W, C].
#pragma once

#include <cstddef>
#include <limits>

#include "cpu/simd/target.h"

namespace waybill::cpu {

// Channels that every target can do in one step.
inline constexpr size_t kDepthwiseStep = 32;

// A tile of one or two rows and one or the table's `pixels` columns of the output, some or all
// channels. Every sum begins with the bias and goes on in the order of the taps, whatever tile it
// is in.
struct DepthwiseTileArgs {
  // Input row r under column x of the tile's first pixel begins at columns[r * row_stride + x]; the
  // rows are those from the first tap of the first output row to the last tap of the last.
  const float* const* columns = nullptr;
  size_t row_stride = 0;
  // Of so many input rows what the next tile will read is fetched meanwhile: `columns` goes on for
  // as many columns as this tile's pixels are apart.
  size_t ahead_rows = 0;
  size_t kernel_h = 1, kernel_w = 1;
  size_t stride_h = 1, stride_w = 1;
  size_t dilation_h = 1, dilation_w = 1;
  const float* weights = nullptr;  // tap t at weights + t * channels
  const float* bias = nullptr;     // [channels] or null
  float* y = nullptr;              // [rows][pixels][channels]
  size_t y_pitch = 0;              // from pixel to pixel
  size_t y_row_pitch = 0;
  size_t rows = 0;    // 1 or 2
  size_t pixels = 0;  // 1 or the table's
  size_t channels = 0;
  // Only channels [first, last): whole steps of kDepthwiseStep, or up to the end.
  size_t first_channel = 0, last_channel = 0;
  // At the very end: min(max(y, low), high), NaN stays.
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();
};

struct DepthwiseTable {
  size_t pixels = 1;
  void (*run)(const DepthwiseTileArgs& args) = nullptr;
};

const DepthwiseTable& DepthwiseTiles(SimdTarget target);

}  // namespace waybill::cpu
