// Depthwise f32 convolution over [N, H, W, C]: every output channel reads one input channel.
#pragma once

#include <cstddef>

#include "cpu/conv/conv_f32.h"
#include "cpu/conv/nhwc/block.h"
#include "cpu/conv/nhwc/depthwise_tile.h"
#include "cpu/conv/nhwc/weights.h"

namespace waybill::cpu {

// Rows of the input are copied, one line of channels at a time, to a ring of rows with their
// padding, so that the kernel knows neither edges nor pitches.
struct DepthwiseConv {
  Conv2d conv;
  size_t lines = 0;        // of output channels
  size_t ring_rows = 0;    // a power of two
  size_t line_pixels = 0;  // of a row in the ring
  size_t band_rows = 0;    // output rows whose lines are done one after the other
  size_t weight_floats = 0;
  size_t scratch_floats = 0;  // for each thread
};

// Whether each group has one input channel.
bool IsDepthwise(const FilterSizes& sizes);
size_t DepthwiseWeightFloats(const FilterSizes& sizes);
// `w` may have any alignment; `out` has DepthwiseWeightFloats floats, 64-byte aligned.
void PackDepthwise(const FilterSizes& sizes, const void* w, const FilterStrides& strides,
                   float* out);

DepthwiseConv MakeDepthwiseConv(const Conv2d& conv);

// Does not know residuals. Work is split over rows and lines; results are bit-equal for every
// width.
void RunDepthwiseConv(const DepthwiseTable& table, const DepthwiseConv& plan,
                      const NhwcConvArgs& args, ThreadPool* pool, size_t width);

}  // namespace waybill::cpu
