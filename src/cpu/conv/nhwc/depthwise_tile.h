// The inner kernel of depthwise convolutions over [N, H, W, C].
#pragma once

#include <cstddef>
#include <limits>

#include "cpu/simd/target.h"

namespace waybill::cpu {

// Channels that are computed together: a cache line.
inline constexpr size_t kLineChannels = 16;

// One row of the output, one line of channels. Inputs lie in dense lines: the element of column x
// and channel c is row[x * kLineChannels + c].
struct DepthwiseRowArgs {
  const float* const* rows = nullptr;  // [kernel_h], the column under the first tap of pixel 0
  size_t kernel_h = 1, kernel_w = 1;
  size_t stride = 1, dilation = 1;  // along the row
  const float* weights = nullptr;   // tap t at weights + t * weight_pitch, whole lines, aligned
  size_t weight_pitch = 0;
  const float* bias = nullptr;  // [channels] or null
  float* y = nullptr;           // pixel x at y + x * y_pitch
  size_t y_pitch = 0;
  size_t pixels = 0;
  size_t channels = 0;  // 1 .. kLineChannels
  bool clamp = false;
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();
};

// Copies pixels of an input row to dense lines: pixel i, of `pitch` floats, from x + i * pitch.
struct LineCopyArgs {
  const float* x = nullptr;  // at the first channel of the line
  size_t pitch = 0;
  size_t pixels = 0;
  size_t channels = 0;     // 1 .. kLineChannels; the rest of the lines becomes zero
  float* lines = nullptr;  // [pixels][kLineChannels], aligned
};

struct DepthwiseTable {
  void (*row)(const DepthwiseRowArgs& args) = nullptr;
  void (*copy)(const LineCopyArgs& args) = nullptr;
};

const DepthwiseTable& DepthwiseTiles(SimdTarget target);

}  // namespace waybill::cpu
