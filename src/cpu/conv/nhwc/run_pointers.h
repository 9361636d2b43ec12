// Where the pixels of a block read the input.
#pragma once

#include <cstddef>

#include "cpu/conv/nhwc/dense.h"

namespace waybill::cpu {

// Pixel i reads run r at rows[r * stride + i] + r * step.
struct RunPointers {
  const float** rows = nullptr;  // filled
  size_t stride = 0;             // at least `pixels`; 0 for rows of taps
  size_t step = 0;               // 0 unless rows of taps
  const float* zeros = nullptr;  // run_length and in_channels zeros
  float* copies = nullptr;       // CopyFloats(...), for rows of taps
};

// Floats of copied input for `pixels` pixels that read rows of taps.
size_t CopyFloats(const Conv2d& conv, size_t pixels);

// Points to what pixels [pixel, pixel + pixels), counted over all images, read under each run.
void PointRuns(const DenseConv& plan, const float* x, size_t pixel, size_t pixels,
               RunPointers& out);

}  // namespace waybill::cpu
