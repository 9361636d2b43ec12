// Where the pixels of a block read the input.
#pragma once

#include <cstddef>

#include "cpu/conv/nhwc/dense.h"

namespace waybill::cpu {

struct RunPointers {
  const float** rows = nullptr;  // [runs][stride], filled
  size_t stride = 0;             // at least `pixels`
  const float* zeros = nullptr;  // run_length and in_channels zeros
  float* edges = nullptr;        // [runs * pixels][run_length], for copied rows of taps
};

// Points to what pixels [pixel, pixel + pixels), counted over all images, read under each run.
void PointRuns(const DenseConv& plan, const float* x, size_t pixel, size_t pixels,
               const RunPointers& out);

}  // namespace waybill::cpu
