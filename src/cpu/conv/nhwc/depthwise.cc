#include "cpu/conv/nhwc/depthwise.h"

#include <algorithm>
#include <cstring>

#include "base/math/checked.h"
#include "parallel/pool/item_queue.h"
#include "parallel/pool/thread_pool.h"
#include "parallel/pool/threads_for.h"

namespace waybill::cpu {
namespace {

// Floats of output in a band: they and the input they read stay in the second-level cache.
constexpr size_t kBandFloats = 32768;
// Floats of input that two neighbouring tiles read for a block of channels.
constexpr size_t kBlockFloats = 6144;
// Bytes from pixel to pixel at which the columns of a tile fall into too few sets of the cache.
constexpr size_t kCollidingPitch = 2048;
constexpr double kNsPerMultiplication = 0.04;

size_t PointerFloats(const DepthwiseConv& plan) {
  return AlignUp(plan.pair_rows * plan.columns * (sizeof(const float*) / sizeof(float)), 16);
}
size_t ZeroFloats(const DepthwiseConv& plan) { return AlignUp(plan.conv.out_channels, 16); }
size_t CopiedRowFloats(const DepthwiseConv& plan) { return plan.conv.in_w * plan.copied_pitch; }

// Works through bands of output rows with one thread's scratch.
class BandRunner {
 public:
  BandRunner(const DepthwiseTable& table, const DepthwiseConv& plan, const NhwcConvArgs& args,
             float* scratch)
      : table_(table), plan_(plan), conv_(plan.conv), args_(args), zeros_(scratch) {
    std::fill_n(scratch, ZeroFloats(plan), 0.0f);
    columns_ = reinterpret_cast<const float**>(scratch + ZeroFloats(plan));
    copies_ = scratch + ZeroFloats(plan) + PointerFloats(plan);
  }

  // Channels [c0, c1) of output rows [y0, y1) of an image.
  void Run(size_t image, size_t y0, size_t y1, size_t c0, size_t c1) {
    const float* rows = args_.x + image * conv_.in_h * conv_.in_w * conv_.in_channels;
    size_t channels = conv_.in_channels;
    int64_t first = 0;
    if (plan_.copied_rows != 0) {
      first = std::max<int64_t>(static_cast<int64_t>(y0 * conv_.stride_h) - conv_.pad_top, 0);
      const int64_t last = static_cast<int64_t>((y1 - 1) * conv_.stride_h) - conv_.pad_top +
                           static_cast<int64_t>((conv_.kernel_h - 1) * conv_.dilation_h);
      CopyRows(rows, first, std::min(last + 1, static_cast<int64_t>(conv_.in_h)));
      rows = copies_;
      channels = plan_.copied_pitch;
    }
    for (size_t y = y0; y < y1; y += 2) {
      PointColumns(rows, first, channels, y);
      RunRows(image, y, std::min<size_t>(y1 - y, 2), c0, c1);
    }
    args_.epilogue(
        {(image * conv_.out_h + y0) * conv_.out_w, (y1 - y0) * conv_.out_w, c0, c1 - c0});
  }

 private:
  // Input rows [first, last) of an image with every channel as often as outputs read it.
  void CopyRows(const float* image, int64_t first, int64_t last) const {
    const size_t multiplier = conv_.out_channels / conv_.in_channels;
    float* to = copies_;
    const float* from = image + static_cast<size_t>(first) * conv_.in_w * conv_.in_channels;
    const auto pixels = static_cast<size_t>(std::max<int64_t>(last - first, 0)) * conv_.in_w;
    for (size_t i = 0; i < pixels; ++i, to += plan_.copied_pitch, from += conv_.in_channels) {
      if (multiplier == 1) {
        std::memcpy(to, from, conv_.in_channels * sizeof(float));
        continue;
      }
      float* at = to;
      for (size_t c = 0; c < conv_.in_channels; ++c) at = std::fill_n(at, multiplier, from[c]);
    }
  }

  // `rows` begins with input row `first`; its pixels have `channels` floats.
  void PointColumns(const float* rows, int64_t first, size_t channels, size_t y) const {
    const float** to = columns_;
    const int64_t top = static_cast<int64_t>(y * conv_.stride_h) - conv_.pad_top;
    const auto in_h = static_cast<int64_t>(conv_.in_h), in_w = static_cast<int64_t>(conv_.in_w);
    const auto columns = static_cast<int64_t>(plan_.columns);
    const int64_t begin = std::clamp<int64_t>(conv_.pad_left, 0, columns);
    const int64_t end = std::clamp(in_w + conv_.pad_left, begin, columns);
    for (size_t r = 0; r < plan_.pair_rows; ++r, to += columns) {
      const int64_t in_y = top + static_cast<int64_t>(r);
      if (in_y < 0 || in_y >= in_h) {
        std::fill_n(to, columns, zeros_);
        continue;
      }
      std::fill(to, to + begin, zeros_);
      const float* row = rows + static_cast<size_t>(in_y - first) * conv_.in_w * channels;
      const float* pixel = row + (begin - conv_.pad_left) * static_cast<int64_t>(channels);
      for (int64_t i = begin; i < end; ++i, pixel += channels) to[i] = pixel;
      std::fill(to + end, to + columns, zeros_);
    }
  }

  void RunRows(size_t image, size_t y, size_t rows, size_t c0, size_t c1) const {
    DepthwiseTileArgs tile;
    tile.row_stride = plan_.columns;
    tile.kernel_h = conv_.kernel_h;
    tile.kernel_w = conv_.kernel_w;
    tile.stride_h = conv_.stride_h;
    tile.stride_w = conv_.stride_w;
    tile.dilation_h = conv_.dilation_h;
    tile.dilation_w = conv_.dilation_w;
    tile.weights = args_.weights;
    tile.bias = args_.bias;
    tile.channels = conv_.out_channels;
    tile.y_pitch = args_.PitchOf(conv_.out_channels);
    tile.y_row_pitch = conv_.out_w * tile.y_pitch;
    tile.rows = rows;
    if (args_.clamp) {
      tile.low = args_.low;
      tile.high = args_.high;
    }
    float* row = args_.y + (image * conv_.out_h + y) * tile.y_row_pitch;
    const size_t tile_rows = plan_.pair_rows - (2 - rows) * conv_.stride_h;
    // All along the row with some channels, then with the next: what two neighbouring tiles read
    // stays in the first-level cache. The last tile overlaps the one before it.
    tile.pixels = conv_.out_w < table_.pixels ? 1 : table_.pixels;
    const size_t last = conv_.out_w - tile.pixels;
    const size_t tiles = CeilDiv(conv_.out_w, tile.pixels);
    for (size_t c = c0; c < c1; c += plan_.block_channels) {
      tile.first_channel = c;
      tile.last_channel = std::min(c + plan_.block_channels, c1);
      for (size_t i = 0; i < tiles; ++i) {
        const size_t begin = std::min(i * tile.pixels, last);
        tile.columns = columns_ + begin * conv_.stride_w;
        tile.y = row + begin * tile.y_pitch;
        // As many columns further on, if there are so many.
        const size_t next = (begin + 2 * tile.pixels) * conv_.stride_w;
        tile.ahead_rows = next <= plan_.columns ? tile_rows : 0;
        table_.run(tile);
      }
    }
  }

  const DepthwiseTable& table_;
  const DepthwiseConv& plan_;
  const Conv2d& conv_;
  const NhwcConvArgs& args_;
  const float* zeros_;
  const float** columns_;
  float* copies_;
};

// The output as bands of rows by parts of the channels.
struct Grid {
  size_t rows = 0;  // of a band
  size_t bands = 1;
  size_t steps = 1;  // of the channels; the last one has what is left of them, too
  size_t parts = 1;

  size_t items(size_t batch) const { return batch * bands * parts; }
  // A tile's last vector may overlap the one before it, so that no part is narrower than a step.
  size_t ChannelBegin(size_t part, size_t channels) const {
    return part == parts ? channels : steps * part / parts * kDepthwiseStep;
  }
};

// Fewer rows, then fewer channels when there would be too few items for the threads. Copied input
// is copied for all channels at once.
Grid MakeGrid(const DepthwiseConv& plan, size_t threads) {
  const Conv2d& conv = plan.conv;
  Grid grid;
  grid.rows = plan.band_rows;
  const size_t wanted = threads == 1 ? 1 : CeilDiv(4 * threads, conv.batch);
  if (threads > 1) grid.rows = std::clamp<size_t>(conv.out_h / wanted / 2 * 2, 2, plan.band_rows);
  grid.bands = CeilDiv(conv.out_h, grid.rows);
  grid.steps = std::max<size_t>(conv.out_channels / kDepthwiseStep, 1);
  if (plan.copied_rows == 0 && grid.bands < wanted) {
    grid.parts = std::min(grid.steps, CeilDiv(wanted, grid.bands));
  }
  return grid;
}

}  // namespace

bool IsDepthwise(const FilterSizes& sizes) { return sizes.groups > 1 && sizes.in_channels == 1; }

size_t DepthwiseWeightFloats(const FilterSizes& sizes) {
  return sizes.taps * sizes.groups * sizes.out_channels;
}

void PackDepthwise(const FilterSizes& sizes, const void* w, bool splat, float* out) {
  const auto* bytes = static_cast<const std::byte*>(w);
  const size_t channels = sizes.groups * sizes.out_channels;
  for (size_t tap = 0; tap < sizes.taps; ++tap) {
    for (size_t c = 0; c < channels; ++c, ++out) {
      const size_t at = splat ? 0 : c * sizes.taps + tap;
      std::memcpy(out, bytes + sizeof(float) * at, sizeof(float));
    }
  }
}

DepthwiseConv MakeDepthwiseConv(const Conv2d& conv) {
  DepthwiseConv plan;
  plan.conv = conv;
  const size_t reach = (conv.kernel_h - 1) * conv.dilation_h + 1;
  plan.pair_rows = conv.stride_h + reach;
  // Rows end where the last tap does; a wider input is not looked at.
  plan.columns = (std::max<size_t>(conv.out_w, 1) - 1) * conv.stride_w +
                 (conv.kernel_w - 1) * conv.dilation_w + 1;
  const size_t row_floats = std::max<size_t>(conv.out_w * conv.out_channels, 1);
  plan.band_rows = std::clamp<size_t>(kBandFloats / row_floats / 2 * 2, 2,
                                      std::max<size_t>(AlignUp(conv.out_h, 2), 2));
  const bool collides = conv.out_channels * sizeof(float) % kCollidingPitch == 0;
  if (conv.in_channels != conv.out_channels || collides) {
    plan.copied_pitch = conv.out_channels + (collides ? 16 : 0);
    plan.band_rows = std::max<size_t>(plan.band_rows, 4);
    plan.copied_rows = (plan.band_rows - 1) * conv.stride_h + reach;
  }
  // Two tiles of four pixels, as every target has at least.
  const size_t tile_columns = 8 * conv.stride_w + (conv.kernel_w - 1) * conv.dilation_w;
  const size_t most = kBlockFloats / (plan.pair_rows * tile_columns);
  const size_t blocks =
      CeilDiv(std::max<size_t>(conv.out_channels, 1), std::max(most, kDepthwiseStep));
  plan.block_channels = AlignUp(CeilDiv(conv.out_channels, blocks), kDepthwiseStep);
  plan.scratch_floats = ZeroFloats(plan) + PointerFloats(plan) +
                        AlignUp(plan.copied_rows * CopiedRowFloats(plan), 16);
  return plan;
}

void RunDepthwiseConv(const DepthwiseTable& table, const DepthwiseConv& plan,
                      const NhwcConvArgs& args, ThreadPool* pool, size_t width) {
  const Conv2d& conv = plan.conv;
  if (conv.batch * conv.out_pixels() * conv.out_channels == 0) return;
  const size_t work =
      conv.batch * conv.out_pixels() * conv.out_channels * conv.kernel_h * conv.kernel_w;
  const size_t threads = ThreadsFor(work, kNsPerMultiplication, width);
  const Grid grid = MakeGrid(plan, threads);
  const size_t items = grid.items(conv.batch);
  ItemQueue queue(items, threads);
  ParallelFor(pool, threads, threads, [&](size_t begin, size_t end) {
    for (size_t task = begin; task < end; ++task) {
      BandRunner runner(table, plan, args, args.scratch + task * plan.scratch_floats);
      for (size_t item; queue.Next(task, item);) {
        const size_t part = item % grid.parts;
        const size_t y0 = item / grid.parts % grid.bands * grid.rows;
        runner.Run(item / grid.parts / grid.bands, y0, std::min(y0 + grid.rows, conv.out_h),
                   grid.ChannelBegin(part, conv.out_channels),
                   grid.ChannelBegin(part + 1, conv.out_channels));
      }
    }
  });
}

}  // namespace waybill::cpu
