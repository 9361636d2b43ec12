// The inner kernel of pooling over [N, H, W, C]: one pixel of the output from its taps.
#pragma once

#include <cstddef>

#include "cpu/simd/target.h"

namespace waybill::cpu {

struct PoolTileArgs {
  const float* const* taps = nullptr;  // [count] pixels that the window sees
  size_t count = 0;
  size_t channels = 0;
  float* y = nullptr;    // [channels]
  float divisor = 1.0f;  // of the average
};

struct PoolTable {
  // The largest; -infinity without taps; a NaN wins.
  void (*max)(const PoolTileArgs& args) = nullptr;
  // The sum over the divisor; 0 without taps.
  void (*average)(const PoolTileArgs& args) = nullptr;
};

const PoolTable& PoolTiles(SimdTarget target);

}  // namespace waybill::cpu
