// Weighted sums of rows: one axis of a resize of f32, one table of functions per target.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/simd/target.h"

namespace waybill::cpu {

// out[o][i] = sum over t of weight[o][t] * in[index[o][t] - base][i], for o in [0, count) and
// i in [0, inner); rows are `inner` apart. Terms with weight 0 are left out where a row is long.
struct BlendArgs {
  const float* in = nullptr;
  float* out = nullptr;
  const uint32_t* index = nullptr;
  const float* weight = nullptr;
  size_t taps = 2, count = 0, inner = 1;
  uint32_t base = 0;
};

struct BlendTable {
  void (*blend)(const BlendArgs& args) = nullptr;
};

const BlendTable& BlendFunctions(SimdTarget target);

}  // namespace waybill::cpu
