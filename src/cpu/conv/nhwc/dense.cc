#include "cpu/conv/nhwc/dense.h"

#include <algorithm>

#include "base/math/checked.h"
#include "cpu/conv/nhwc/run_pointers.h"
#include "parallel/pool/item_queue.h"
#include "parallel/pool/thread_pool.h"
#include "parallel/pool/threads_for.h"

namespace waybill::cpu {
namespace {

// Rows of a panel that one pass over the pixels of a block uses: they stay in the second-level
// cache beside the pixels.
constexpr size_t kPartDepth = 512;
// Floats of output in a block, so that an epilogue finds them in cache.
constexpr size_t kBlockFloats = 32768;
constexpr size_t kBlockPixels = 96;
constexpr size_t kRowMultiple = 12;  // whole tiles of any height that tiles have
constexpr size_t kMaxPointers = 16384;
// Floats of copied input that a block reads: they stay in the first-level cache.
constexpr size_t kMaxCopyFloats = 8192;
// Channels below which a row of taps is read in one piece.
constexpr size_t kFewChannels = 16;
constexpr double kNsPerMultiplication = 0.04;

// Whole rows of the output where they read copied rows of the input, whole tiles otherwise.
void ChooseBlock(DenseConv& plan) {
  const Conv2d& conv = plan.conv;
  const size_t pixels = std::max<size_t>(conv.batch * conv.out_pixels(), 1);
  size_t block = kBlockFloats / std::max<size_t>(conv.out_channels, 1);
  plan.block_multiple = kRowMultiple;
  if (plan.tap_rows && conv.out_w != 0) {
    const size_t columns = conv.stride_w + CeilDiv(conv.kernel_w, conv.out_w);
    block = std::min(block, kMaxCopyFloats / (conv.kernel_h * columns * conv.in_channels));
    if (conv.out_w >= kRowMultiple && conv.out_w <= block) plan.block_multiple = conv.out_w;
    // The copies of a small image are not all there at a time.
    if (block >= pixels) {
      block = CeilDiv(CeilDiv(pixels, size_t{2}), plan.block_multiple) * plan.block_multiple;
    }
  } else {
    block = std::min(block, kBlockPixels);
    block = std::min(block, kMaxPointers / std::max<size_t>(plan.runs, 1));
  }
  block = std::max(block, 2 * kRowMultiple) / plan.block_multiple * plan.block_multiple;
  plan.block_pixels = std::min(block, pixels);
}

// Zeros, pointers, copied input: one behind the other in a thread's scratch.
size_t ZeroFloats(const DenseConv& plan) {
  return AlignUp(std::max(plan.conv.in_channels, plan.run_length), 16);
}
size_t PointerFloats(const DenseConv& plan) {
  const size_t runs = plan.tap_rows ? 1 : plan.runs;
  return AlignUp(runs * plan.block_pixels * (sizeof(const float*) / sizeof(float)), 16);
}

RunPointers CutScratch(const DenseConv& plan, float* scratch) {
  RunPointers out;
  std::fill_n(scratch, ZeroFloats(plan), 0.0f);
  out.zeros = scratch;
  scratch += ZeroFloats(plan);
  out.rows = reinterpret_cast<const float**>(scratch);
  out.stride = plan.block_pixels;
  out.copies = scratch + PointerFloats(plan);
  return out;
}

// The output as blocks of pixels by bands of units; a unit is one panel of one group.
struct Grid {
  size_t pixels = 0;
  size_t multiple = 1;
  size_t blocks = 0;
  size_t units = 0;
  size_t bands = 1;

  size_t items() const { return blocks * bands; }
  size_t BlockBegin(size_t block) const {
    if (block == blocks) return pixels;
    return CeilDiv(pixels, multiple) * block / blocks * multiple;
  }
};

Grid MakeGrid(const DenseConv& plan, size_t threads) {
  Grid grid;
  grid.pixels = plan.conv.batch * plan.conv.out_pixels();
  grid.multiple = plan.block_multiple;
  grid.units = plan.conv.groups * plan.layout.panels();
  grid.blocks = CeilDiv(grid.pixels, plan.block_pixels);
  if (threads == 1) return grid;
  const size_t wanted = 4 * threads;
  if (grid.blocks < wanted) {
    grid.blocks = std::max(
        grid.blocks, std::min(wanted, grid.pixels / std::max(4 * kRowMultiple, grid.multiple)));
  }
  if (grid.blocks < wanted) grid.bands = std::min(grid.units, CeilDiv(wanted, grid.blocks));
  return grid;
}

// What part `part` of the sum for a unit reads of the weights.
struct PanelPart {
  size_t group = 0, panel = 0;
  size_t run = 0, runs = 0;      // first and how many
  size_t first = 0, length = 0;  // of each run
  const float* weights = nullptr;
  size_t floats = 0;
};

PanelPart PartOf(const DenseConv& plan, const float* weights, size_t unit, size_t part) {
  PanelPart out;
  out.group = unit / plan.layout.panels();
  out.panel = unit % plan.layout.panels();
  const size_t pieces = CeilDiv(plan.run_length, plan.part_length);
  out.run = pieces > 1 ? part / pieces : part * plan.part_runs;
  out.first = pieces > 1 ? part % pieces * plan.part_length : 0;
  out.runs = std::min(plan.part_runs, plan.runs - out.run);
  out.length = std::min(plan.part_length, plan.run_length - out.first);
  const size_t width = plan.layout.PanelWidth(out.panel);
  out.weights = weights + plan.layout.Offset(out.group, out.panel) +
                (out.run * plan.run_length + out.first) * width;
  out.floats = out.runs * out.length * width;
  return out;
}

// One panel of one group for a block of pixels, for part `part` of the sum.
void RunUnit(const RunTileTable& table, const DenseConv& plan, const NhwcConvArgs& args,
             const PanelPart& now, size_t part, size_t pixel, RunTileArgs call) {
  const FilterSizes& sizes = plan.layout.sizes();
  const size_t channel = now.group * sizes.out_channels + plan.layout.PanelColumn(now.panel);
  const bool last = now.run + now.runs >= plan.runs && now.first + now.length >= plan.run_length;
  call.rows += now.run * call.rows_stride;
  call.offset = now.group * sizes.in_channels + now.first + now.run * call.run_step;
  call.runs = now.runs;
  call.run_length = now.length;
  call.panel = now.weights;
  call.c = args.y + pixel * call.ldc + channel;
  call.n = plan.layout.PanelColumns(now.panel);
  call.add = part != 0;
  call.bias = args.bias != nullptr ? args.bias + channel : nullptr;
  if (last && args.residual != nullptr) {
    call.residual = args.residual + pixel * call.residual_ld + channel;
  }
  call.clamp = last && args.clamp;
  table.run(call);
}

void RunItem(const RunTileTable& table, const DenseConv& plan, const NhwcConvArgs& args,
             const Grid& grid, size_t item, RunPointers& pointers) {
  const size_t block = item / grid.bands, band = item % grid.bands;
  const size_t begin = grid.BlockBegin(block), end = grid.BlockBegin(block + 1);
  const size_t u0 = grid.units * band / grid.bands, u1 = grid.units * (band + 1) / grid.bands;
  if (begin == end || u0 == u1) return;
  if (plan.runs != 0) PointRuns(plan, args.x, begin, end - begin, pointers);
  RunTileArgs tile;
  tile.rows = pointers.rows;
  tile.rows_stride = pointers.stride;
  tile.run_step = pointers.step;
  tile.ldc = args.PitchOf(plan.conv.out_channels);
  tile.residual_ld = plan.conv.out_channels;
  tile.m = end - begin;
  tile.low = args.low;
  tile.high = args.high;
  const size_t parts = plan.parts;
  PanelPart now = PartOf(plan, args.weights, u0, 0);
  for (size_t part = 0; part < parts; ++part) {
    for (size_t unit = u0; unit < u1; ++unit) {
      PanelPart next;
      if (unit + 1 < u1) {
        next = PartOf(plan, args.weights, unit + 1, part);
      } else if (part + 1 < parts) {
        next = PartOf(plan, args.weights, u0, part + 1);
      }
      tile.next_panel = next.weights;
      tile.next_floats = next.floats;
      // The taps of larger windows share most of their pixels.
      tile.fetch_ahead = plan.runs == 1 && unit == u0;
      RunUnit(table, plan, args, now, part, begin, tile);
      now = next;
    }
  }
  const auto channel_of = [&](size_t unit) {
    return unit / plan.layout.panels() * plan.layout.sizes().out_channels +
           (unit % plan.layout.panels() == 0
                ? 0
                : plan.layout.PanelColumn(unit % plan.layout.panels()));
  };
  const size_t channel = channel_of(u0);
  args.epilogue({begin, end - begin, channel, channel_of(u1) - channel});
}

}  // namespace

DenseConv MakeDenseConv(const RunTileTable& table, const Conv2d& conv) {
  DenseConv plan;
  plan.conv = conv;
  const size_t taps = conv.kernel_h * conv.kernel_w;
  plan.layout = FilterLayout(
      table, {conv.groups, conv.in_channels / conv.groups, conv.out_channels / conv.groups, taps});
  plan.tap_rows = conv.groups == 1 && conv.dilation_w == 1 && conv.kernel_w > 1 &&
                  conv.in_channels < kFewChannels && conv.in_channels > 0 &&
                  conv.stride_w <= 2 * conv.kernel_w;
  plan.runs = plan.tap_rows ? conv.kernel_h : taps;
  plan.run_length = (plan.tap_rows ? conv.kernel_w : 1) * (conv.in_channels / conv.groups);
  if (plan.run_length == 0) plan.runs = 0;
  if (plan.run_length <= kPartDepth) {
    const size_t parts = std::max<size_t>(CeilDiv(plan.runs * plan.run_length, kPartDepth), 1);
    plan.part_runs = std::max<size_t>(CeilDiv(plan.runs, parts), 1);
    plan.part_length = std::max<size_t>(plan.run_length, 1);
  } else {
    plan.part_runs = 1;
    plan.part_length = CeilDiv(plan.run_length, CeilDiv(plan.run_length, kPartDepth));
  }
  const size_t pieces = CeilDiv(plan.run_length, plan.part_length);
  plan.parts =
      std::max<size_t>(pieces > 1 ? plan.runs * pieces : CeilDiv(plan.runs, plan.part_runs), 1);
  ChooseBlock(plan);
  plan.scratch_floats = ZeroFloats(plan) + PointerFloats(plan);
  if (plan.tap_rows) plan.scratch_floats += AlignUp(CopyFloats(conv, plan.block_pixels), 16);
  return plan;
}

void RunDenseConv(const RunTileTable& table, const DenseConv& plan, const NhwcConvArgs& args,
                  ThreadPool* pool, size_t width) {
  const Conv2d& conv = plan.conv;
  const size_t pixels = conv.batch * conv.out_pixels();
  if (pixels == 0 || conv.out_channels == 0) return;
  const size_t work = pixels * conv.out_channels * std::max<size_t>(conv.depth(), 1);
  const size_t threads = ThreadsFor(work, kNsPerMultiplication, width);
  const Grid grid = MakeGrid(plan, threads);
  // One task per thread, each with its own scratch; tasks take items until none is left.
  ItemQueue queue(grid.items(), threads);
  ParallelFor(pool, threads, threads, [&](size_t begin, size_t end) {
    for (size_t task = begin; task < end; ++task) {
      RunPointers pointers = CutScratch(plan, args.scratch + task * plan.scratch_floats);
      for (size_t item; queue.Next(task, item);) {
        RunItem(table, plan, args, grid, item, pointers);
      }
    }
  });
}

}  // namespace waybill::cpu
