// Dense and grouped f32 convolution over [N, H, W, C], as products of pixels and packed filters
// without a copy of the input: the kernel follows pointers, into a row of zeros for the padding.
#pragma once

#include <cstddef>

#include "cpu/conv/conv_f32.h"
#include "cpu/conv/nhwc/block.h"
#include "cpu/conv/nhwc/weights.h"

namespace waybill::cpu {

struct DenseConv {
  Conv2d conv;
  FilterLayout layout;
  // With few channels a run is a whole row of taps (pixels whose row hangs over the edge are
  // copied), otherwise one tap.
  bool tap_rows = false;
  size_t runs = 0, run_length = 0;
  // The sum is made in parts of whole runs, or of pieces of one run when that is long.
  size_t part_runs = 0, part_length = 0;
  size_t parts = 1;           // that the output is visited in
  size_t block_pixels = 0;    // the most that a block has
  size_t block_multiple = 1;  // blocks begin at multiples of so many pixels
  size_t scratch_floats = 0;  // for each thread
};

DenseConv MakeDenseConv(const RunTileTable& table, const Conv2d& conv);

// Work is split over blocks of y; results are bit-equal for every width.
void RunDenseConv(const RunTileTable& table, const DenseConv& plan, const NhwcConvArgs& args,
                  ThreadPool* pool, size_t width);

}  // namespace waybill::cpu
