#include "cpu/conv/conv_f32.h"

#include <algorithm>

#include "base/math/checked.h"
#include "cpu/conv/pixel_panel.h"
#include "parallel/pool/item_queue.h"
#include "parallel/pool/thread_pool.h"
#include "parallel/pool/threads_for.h"

namespace waybill::cpu {
namespace {

// Taps gathered at a time: a panel of them stays in the second-level cache.
constexpr size_t kBlockK = 512;
constexpr double kNsPerMultiplication = 0.04;

// The parts that the work falls into: per image and group, panels of pixels by bands of channels.
struct Grid {
  size_t panels = 0;
  size_t bands = 1;
  size_t items = 0;
};

Grid MakeGrid(const GemmF32Table& table, const Conv2d& conv, size_t threads) {
  Grid grid;
  grid.panels = CeilDiv(conv.out_pixels(), table.nr);
  const size_t images = conv.batch * conv.groups;
  grid.items = images * grid.panels;
  // Bands gather the same pixels again, so they are for small images only.
  if (threads > 1 && grid.items != 0 && grid.items < 2 * threads) {
    const size_t tiles = CeilDiv(conv.out_channels / conv.groups, table.mr);
    grid.bands = std::min(tiles, CeilDiv(2 * threads, grid.items));
    grid.items *= grid.bands;
  }
  return grid;
}

void RunItem(const GemmF32Table& table, const Conv2d& conv, const Conv2dArgs& args,
             const Grid& grid, size_t item, float* scratch) {
  const size_t band = item % grid.bands;
  const size_t panel = item / grid.bands % grid.panels;
  const size_t group = item / grid.bands / grid.panels % conv.groups;
  const size_t image = item / grid.bands / grid.panels / conv.groups;
  const size_t in_channels = conv.in_channels / conv.groups;
  const size_t out_channels = conv.out_channels / conv.groups;
  const size_t tiles = CeilDiv(out_channels, table.mr);
  const size_t m0 = tiles * band / grid.bands * table.mr;
  const size_t m1 = std::min(tiles * (band + 1) / grid.bands * table.mr, out_channels);
  const size_t channel = group * out_channels + m0;
  const float* x =
      args.x + (image * conv.in_channels + group * in_channels) * conv.in_h * conv.in_w;

  const PixelRun run{panel * table.nr, std::min(table.nr, conv.out_pixels() - panel * table.nr)};
  const size_t width = CeilDiv(run.count, table.lanes) * table.lanes;
  PanelArgs part;
  part.lda = conv.depth();
  part.low = 0;
  part.panel = scratch;
  part.c = args.y + (image * conv.out_channels + channel) * conv.out_pixels() + run.first;
  part.ldc = conv.out_pixels();
  part.m = m1 - m0;
  part.n = run.count;
  part.row_bias = args.bias != nullptr ? args.bias + channel : nullptr;
  size_t k0 = 0;
  do {
    part.k = std::min(conv.depth() - k0, kBlockK);
    part.a = args.w + channel * conv.depth() + k0;
    part.add = k0 != 0;
    part.clamp = args.relu && k0 + part.k == conv.depth();
    GatherPixels(conv, x, run, k0, part.k, width, scratch);
    table.run(part);
    k0 += part.k;
  } while (k0 < conv.depth());
}

}  // namespace

size_t Conv2dScratchFloats(const GemmF32Table& table, const Conv2d& conv) {
  return AlignUp(std::clamp<size_t>(conv.depth(), 1, kBlockK) * table.nr, 16);
}

void RunConv2d(const GemmF32Table& table, const Conv2d& conv, const Conv2dArgs& args,
               ThreadPool* pool, size_t width) {
  const size_t work = conv.batch * conv.out_channels * conv.out_pixels() * conv.depth();
  const size_t threads = ThreadsFor(work, kNsPerMultiplication, width);
  const Grid grid = MakeGrid(table, conv, threads);
  const size_t scratch_floats = Conv2dScratchFloats(table, conv);
  // One task per thread, each with its own scratch; tasks take items until none is left.
  ItemQueue queue(grid.items, threads);
  ParallelFor(pool, threads, threads, [&](size_t begin, size_t end) {
    for (size_t task = begin; task < end; ++task) {
      float* scratch = args.scratch + task * scratch_floats;
      for (size_t item; queue.Next(task, item);) {
        RunItem(table, conv, args, grid, item, scratch);
      }
    }
  });
}

}  // namespace waybill::cpu
