// Depthwise f32 convolution over [N, H, W, C]: every output channel reads one input channel.
#pragma once

#include <cstddef>

#include "cpu/conv/conv_f32.h"
#include "cpu/conv/nhwc/block.h"
#include "cpu/conv/nhwc/depthwise_tile.h"
#include "cpu/conv/nhwc/weights.h"

namespace waybill::cpu {

// The kernel follows pointers to pixels, into a pixel of zeros for the padding. Where an input
// channel has several output channels, the rows of a band are copied first, each channel as often;
// rows whose pixels would collide in the cache are copied further apart.
struct DepthwiseConv {
  Conv2d conv;
  size_t band_rows = 0;       // output rows after which the epilogue comes; even
  size_t block_channels = 0;  // done along a row before the next ones
  size_t pair_rows = 0;       // input rows under two output rows
  size_t columns = 0;         // input columns, padding included, under an output row
  size_t copied_pitch = 0;    // floats of a copied pixel
  size_t copied_rows = 0;     // input rows under a band, if they are copied
  size_t scratch_floats = 0;  // for each thread
};

// Whether each group has one input channel.
bool IsDepthwise(const FilterSizes& sizes);
size_t DepthwiseWeightFloats(const FilterSizes& sizes);
// `w` is [channels][taps], or one element for all, of any alignment; `out` has
// DepthwiseWeightFloats floats.
void PackDepthwise(const FilterSizes& sizes, const void* w, bool splat, float* out);

DepthwiseConv MakeDepthwiseConv(const Conv2d& conv);

// Does not know residuals. Work is split over rows and lines; results are bit-equal for every
// width.
void RunDepthwiseConv(const DepthwiseTable& table, const DepthwiseConv& plan,
                      const NhwcConvArgs& args, ThreadPool* pool, size_t width);

}  // namespace waybill::cpu
