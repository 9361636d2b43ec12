// The inner kernel of pooling over [N, H, W, C]: pixels of the output from their taps.
#pragma once

#include <cstddef>

#include "cpu/simd/target.h"

namespace waybill::cpu {

struct PoolTileArgs {
  const float* const* taps = nullptr;  // [count] pixels that the first pixel's window sees
  size_t count = 0;
  size_t channels = 0;
  float* y = nullptr;    // [pixels][channels]
  size_t y_pitch = 0;    // floats from pixel to pixel of y
  float divisor = 1.0f;  // of the average
  size_t pixels = 1;     // each with taps pixel_step behind those of the one before it
  size_t pixel_step = 0;
};

struct PoolTable {
  // The largest; -infinity without taps; a NaN wins.
  void (*max)(const PoolTileArgs& args) = nullptr;
  // The sum over the divisor; 0 without taps.
  void (*average)(const PoolTileArgs& args) = nullptr;
};

const PoolTable& PoolTiles(SimdTarget target);

}  // namespace waybill::cpu
