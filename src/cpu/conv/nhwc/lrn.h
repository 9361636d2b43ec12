// Local response normalisation of f32 over rows of channels.
#pragma once

#include <cstddef>

#include "cpu/simd/target.h"

namespace waybill::cpu {

// For each row: scale[c] = bias + factor * (sum of x^2 over channels c - before .. c + after).
struct LrnScaleArgs {
  const float* x = nullptr;  // [rows][channels]
  float* scale = nullptr;    // [rows][channels]
  size_t rows = 0, channels = 0;
  size_t before = 0, after = 0;
  float bias = 1, factor = 1;
  float* squares = nullptr;  // scratch: channels + before + after + a vector
  // Instead of scale: x * scale^-0.75, the power of nearly all models.
  bool three_quarters = false;
};

using LrnScaleFn = void (*)(const LrnScaleArgs& args);
LrnScaleFn LrnScale(SimdTarget target);

}  // namespace waybill::cpu
