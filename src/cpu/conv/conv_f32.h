// f32 convolution in two spatial dimensions over NCHW, as matrix products over panels of pixels.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/gemm/tile.h"

namespace waybill {
class ThreadPool;
}

namespace waybill::cpu {

// A one-dimensional convolution has height 1 everywhere. Batch, channels in and output sizes may be
// 0, everything else is at least 1.
struct Conv2d {
  size_t batch = 1;
  size_t groups = 1;
  size_t in_channels = 1;   // of all groups
  size_t out_channels = 1;  // of all groups
  size_t in_h = 1, in_w = 1;
  size_t out_h = 1, out_w = 1;
  size_t kernel_h = 1, kernel_w = 1;
  size_t stride_h = 1, stride_w = 1;
  size_t dilation_h = 1, dilation_w = 1;
  int64_t pad_top = 0, pad_left = 0;  // negative: cut off; the other sides follow from the output

  size_t depth() const { return in_channels / groups * kernel_h * kernel_w; }
  size_t out_pixels() const { return out_h * out_w; }
};

// Scratch for one thread, in floats; RunConv2d wants `width` times this, 64-byte aligned.
size_t Conv2dScratchFloats(const GemmF32Table& table, const Conv2d& conv);

struct Conv2dArgs {
  const float* x = nullptr;     // [batch][in_channels][in_h][in_w]
  const float* w = nullptr;     // [out_channels][in_channels / groups][kernel_h][kernel_w]
  const float* bias = nullptr;  // [out_channels] or null
  float* y = nullptr;           // [batch][out_channels][out_h][out_w]
  bool relu = false;
  float* scratch = nullptr;
};

// Work is split over parts of y; results are bit-equal for every width.
void RunConv2d(const GemmF32Table& table, const Conv2d& conv, const Conv2dArgs& args,
               ThreadPool* pool, size_t width);

}  // namespace waybill::cpu
