// 8-bit convolutions and matrix products on plain pointers: cuts the work into bands of rows,
// widens each band once and runs the inner kernels over it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/status/result.h"
#include "cpu/quant/depthwise.h"
#include "cpu/quant/product.h"
#include "cpu/quant/weights.h"

namespace waybill {
class ThreadPool;
}

namespace waybill::cpu {

// A convolution of one or two spatial axes, height first; or the product of a matrix of `in_h` rows
// and `in_channels` columns, whose other sizes are 1. Channels last throughout.
struct ByteConv {
  size_t batch = 1;
  size_t groups = 1;
  size_t in_channels = 0;  // of all groups together
  size_t out_channels = 0;
  size_t in_h = 1, in_w = 1;
  size_t out_h = 1, out_w = 1;
  size_t kernel_h = 1, kernel_w = 1;
  size_t stride_h = 1, stride_w = 1;
  size_t dilation_h = 1, dilation_w = 1;
  size_t pad_top = 0, pad_left = 0;

  size_t out_pixels() const { return out_h * out_w; }
  // One filter per channel, in neighbouring rows: the depthwise kernel takes it.
  bool IsDepthwise() const {
    return groups > 1 && groups == in_channels && groups == out_channels && dilation_h == 1;
  }
  // Runs of taps that lie side by side in memory: their number and their elements.
  bool WholeRows() const { return groups == 1 && dilation_w == 1; }
  size_t segments() const { return WholeRows() ? kernel_h : kernel_h * kernel_w; }
  size_t segment_length() const {
    return WholeRows() ? kernel_w * in_channels : in_channels / groups;
  }
  // Where the kernel looks at pixels alone, all images are one column of pixels.
  void JoinPixels();
};

struct ByteConvArgs {
  const void* x = nullptr;  // [batch][in_h][in_w][in_channels]
  bool x_signed = false;
  int32_t x_zero = 0;
  const int32_t* weights = nullptr;  // as WeightLayout says, or PackDepthwise where it is that
  void* y = nullptr;                 // [batch][out_h][out_w][out_channels]
  // `bias` and `scale` hold AlignUp(out_channels / groups, lanes) entries for each group, but
  // AlignUp(out_channels, lanes) in all for a depthwise convolution.
  Requantize out;
  std::byte* scratch = nullptr;  // ByteConvScratch bytes for each thread, 64-byte aligned
};

// Bytes for one thread; nothing when the convolution is too large.
std::optional<size_t> ByteConvScratch(const ByteConv& conv, SimdTarget target);

// Results are bit-equal for every width. `layout` is that of `args.weights`.
void RunByteConv(const ByteConv& conv, const WeightLayout& layout, const ByteConvArgs& args,
                 SimdTarget target, ThreadPool* pool, size_t width);

// Elements that depthwise weights take, for rows at even and for rows at odd places of the input.
size_t DepthwiseWeightElems(const ByteConv& conv, const DepthwiseTable& table);
// weight(channel, ky, kx) is the weight with its zero point taken off.
void PackDepthwise(const ByteConv& conv, const DepthwiseTable& table,
                   int16_t (*weight)(const void* context, size_t channel, size_t ky, size_t kx),
                   const void* context, int32_t* packed);

}  // namespace waybill::cpu
