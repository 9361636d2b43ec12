#include "cpu/conv/nhwc/depthwise.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

#include "base/math/checked.h"
#include "parallel/pool/thread_pool.h"

namespace waybill::cpu {
namespace {

// Floats of output in a band: they and the input they read stay in the second-level cache.
constexpr size_t kBandFloats = 40960;
constexpr size_t kMinWorkPerThread = size_t{1} << 16;
constexpr size_t kMaxKernelH = 64;

// Bands of rows over all images by bands of lines.
struct Grid {
  size_t bands = 0;  // of one image
  size_t across = 1;
  size_t items = 0;
};

class BandRunner {
 public:
  BandRunner(const DepthwiseTable& table, const DepthwiseConv& plan, const NhwcConvArgs& args,
             float* scratch)
      : table_(table), plan_(plan), conv_(plan.conv), args_(args), ring_(scratch) {
    zeros_ = ring_ + plan.ring_rows * plan.line_pixels * kLineChannels;
    std::fill(ring_, zeros_ + plan.line_pixels * kLineChannels, 0.0f);
  }

  // Output rows [y0, y1) of an image, lines [l0, l1).
  void Run(size_t image, size_t y0, size_t y1, size_t l0, size_t l1) {
    for (size_t line = l0; line < l1; ++line) RunLine(image, y0, y1, line);
    const size_t channel = l0 * kLineChannels;
    args_.epilogue({(image * conv_.out_h + y0) * conv_.out_w, (y1 - y0) * conv_.out_w, channel,
                    std::min(l1 * kLineChannels, conv_.out_channels) - channel});
  }

 private:
  float* RingRow(int64_t y) const {
    const size_t slot = static_cast<size_t>(y) & (plan_.ring_rows - 1);
    return ring_ + slot * plan_.line_pixels * kLineChannels;
  }

  void CopyRow(size_t image, int64_t y, size_t channel, size_t channels) const;
  void RunLine(size_t image, size_t y0, size_t y1, size_t line) const;

  const DepthwiseTable& table_;
  const DepthwiseConv& plan_;
  const Conv2d& conv_;
  const NhwcConvArgs& args_;
  float* ring_;
  float* zeros_;
};

void BandRunner::CopyRow(size_t image, int64_t y, size_t channel, size_t channels) const {
  const size_t left = conv_.pad_left > 0 ? static_cast<size_t>(conv_.pad_left) : 0;
  const size_t skip = conv_.pad_left < 0 ? static_cast<size_t>(-conv_.pad_left) : 0;
  if (left >= plan_.line_pixels || skip >= conv_.in_w) return;
  const size_t pixels = std::min(conv_.in_w - skip, plan_.line_pixels - left);
  const float* row = args_.x + ((image * conv_.in_h + static_cast<size_t>(y)) * conv_.in_w + skip) *
                                   conv_.in_channels;
  float* to = RingRow(y) + left * kLineChannels;
  const size_t multiplier = conv_.out_channels / conv_.in_channels;
  if (multiplier == 1) {
    table_.copy({row + channel, conv_.in_channels, pixels, channels, to});
    return;
  }
  for (size_t i = 0; i < pixels; ++i, row += conv_.in_channels, to += kLineChannels) {
    for (size_t c = 0; c < channels; ++c) to[c] = row[(channel + c) / multiplier];
  }
}

void BandRunner::RunLine(size_t image, size_t y0, size_t y1, size_t line) const {
  const size_t channel = line * kLineChannels;
  DepthwiseRowArgs row;
  const float* rows[kMaxKernelH];
  row.rows = rows;
  row.kernel_h = conv_.kernel_h;
  row.kernel_w = conv_.kernel_w;
  row.stride = conv_.stride_w;
  row.dilation = conv_.dilation_w;
  row.weights = args_.weights + channel;
  row.weight_pitch = plan_.lines * kLineChannels;
  row.bias = args_.bias != nullptr ? args_.bias + channel : nullptr;
  row.y_pitch = conv_.out_channels;
  row.pixels = conv_.out_w;
  row.channels = std::min(kLineChannels, conv_.out_channels - channel);
  row.clamp = args_.clamp;
  row.low = args_.low;
  row.high = args_.high;
  const auto in_h = static_cast<int64_t>(conv_.in_h);
  int64_t copied = 0;  // rows below this are in the ring, as far as it reaches
  for (size_t y = y0; y < y1; ++y) {
    const int64_t top = static_cast<int64_t>(y * conv_.stride_h) - conv_.pad_top;
    const int64_t reach = static_cast<int64_t>((conv_.kernel_h - 1) * conv_.dilation_h);
    const int64_t end = std::min(top + reach + 1, in_h);
    int64_t next = std::max<int64_t>(top, 0);
    if (y != y0) next = std::max(next, copied);
    for (; next < end; ++next) CopyRow(image, next, channel, row.channels);
    copied = std::max(end, y == y0 ? end : copied);
    for (size_t ky = 0; ky < conv_.kernel_h; ++ky) {
      const int64_t in_y = top + static_cast<int64_t>(ky * conv_.dilation_h);
      rows[ky] = in_y >= 0 && in_y < in_h ? RingRow(in_y) : zeros_;
    }
    row.y = args_.y + (image * conv_.out_h + y) * conv_.out_w * conv_.out_channels + channel;
    table_.row(row);
  }
}

Grid MakeGrid(const DepthwiseConv& plan, size_t threads) {
  Grid grid;
  size_t rows = plan.band_rows;
  const size_t wanted = 4 * threads;
  if (threads > 1 && plan.conv.batch * CeilDiv(plan.conv.out_h, rows) < wanted) {
    rows = std::clamp<size_t>(plan.conv.out_h / CeilDiv(wanted, plan.conv.batch), 2, rows);
  }
  grid.bands = CeilDiv(plan.conv.out_h, std::max<size_t>(rows, 1));
  const size_t items = plan.conv.batch * grid.bands;
  if (threads > 1 && items < wanted) grid.across = std::min(plan.lines, CeilDiv(wanted, items));
  grid.items = items * grid.across;
  return grid;
}

}  // namespace

bool IsDepthwise(const FilterSizes& sizes) { return sizes.groups > 1 && sizes.in_channels == 1; }

size_t DepthwiseWeightFloats(const FilterSizes& sizes) {
  return sizes.taps * CeilDiv(sizes.groups * sizes.out_channels, kLineChannels) * kLineChannels;
}

void PackDepthwise(const FilterSizes& sizes, const void* w, const FilterStrides& strides,
                   float* out) {
  const auto* bytes = static_cast<const std::byte*>(w);
  const size_t channels = sizes.groups * sizes.out_channels;
  const size_t pitch = CeilDiv(channels, kLineChannels) * kLineChannels;
  for (size_t tap = 0; tap < sizes.taps; ++tap, out += pitch) {
    for (size_t c = 0; c < channels; ++c) {
      std::memcpy(out + c, bytes + sizeof(float) * (c * strides.out_channel + tap * strides.tap),
                  sizeof(float));
    }
    std::fill(out + channels, out + pitch, 0.0f);
  }
}

DepthwiseConv MakeDepthwiseConv(const Conv2d& conv) {
  DepthwiseConv plan;
  plan.conv = conv;
  plan.lines = CeilDiv(conv.out_channels, kLineChannels);
  plan.ring_rows = std::bit_ceil((conv.kernel_h - 1) * conv.dilation_h + 1);
  // Rows end where the last tap does; a wider input is not looked at.
  plan.line_pixels = (std::max<size_t>(conv.out_w, 1) - 1) * conv.stride_w +
                     (conv.kernel_w - 1) * conv.dilation_w + 1;
  const size_t row_floats = std::max<size_t>(conv.out_w * conv.out_channels, 1);
  plan.band_rows = std::clamp<size_t>(kBandFloats / row_floats, 4, std::max<size_t>(conv.out_h, 4));
  plan.weight_floats = conv.kernel_h * conv.kernel_w * plan.lines * kLineChannels;
  plan.scratch_floats = (plan.ring_rows + 1) * plan.line_pixels * kLineChannels;
  return plan;
}

void RunDepthwiseConv(const DepthwiseTable& table, const DepthwiseConv& plan,
                      const NhwcConvArgs& args, ThreadPool* pool, size_t width) {
  const Conv2d& conv = plan.conv;
  if (conv.batch * conv.out_pixels() == 0) return;
  const size_t work =
      conv.batch * conv.out_pixels() * conv.out_channels * conv.kernel_h * conv.kernel_w;
  const size_t threads =
      std::clamp<size_t>(work / kMinWorkPerThread, 1, std::max<size_t>(width, 1));
  const Grid grid = MakeGrid(plan, threads);
  std::atomic<size_t> next{0};
  ParallelFor(pool, threads, threads, [&](size_t begin, size_t end) {
    for (size_t task = begin; task < end; ++task) {
      BandRunner runner(table, plan, args, args.scratch + task * plan.scratch_floats);
      for (size_t item = next.fetch_add(1, std::memory_order_relaxed); item < grid.items;
           item = next.fetch_add(1, std::memory_order_relaxed)) {
        const size_t part = item % grid.across;
        const size_t band = item / grid.across % grid.bands;
        const size_t image = item / grid.across / grid.bands;
        const size_t y0 = conv.out_h * band / grid.bands, y1 = conv.out_h * (band + 1) / grid.bands;
        const size_t l0 = plan.lines * part / grid.across,
                     l1 = plan.lines * (part + 1) / grid.across;
        runner.Run(image, y0, y1, l0, l1);
      }
    }
  });
}

}  // namespace waybill::cpu
