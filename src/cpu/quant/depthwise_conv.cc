#include "cpu/quant/depthwise_conv.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/math/checked.h"
#include "memory/source/source.h"
#include "parallel/pool/thread_pool.h"

namespace waybill::cpu {
namespace {

constexpr size_t kBandBytes = size_t{96} << 10;
constexpr size_t kBlockChannels = 32;
constexpr size_t kMinWorkPerThread = size_t{1} << 18;

// Pair rows of filters whose first row is the upper (even) or the lower row of a pair.
size_t PairRows(const ByteConv& conv, bool odd) {
  return odd ? conv.kernel_h / 2 + 1 : (conv.kernel_h + 1) / 2;
}

struct Tiling {
  size_t columns = 0;  // padded input columns
  size_t vector_stride = 0;
  size_t row_stride = 0;
  size_t out_rows = 1;  // output rows at a time
  size_t bands = 0;
  size_t blocks = 0;  // of channels
  size_t bytes = 0;   // of scratch
};

size_t PairRowsOf(const ByteConv& conv, size_t out_rows) {
  return ((out_rows - 1) * conv.stride_h + conv.kernel_h) / 2 + 1;
}

Tiling MakeTiling(const ByteConv& conv, const DepthwiseTable& table) {
  Tiling t;
  t.columns = conv.out_w == 0
                  ? 1
                  : (conv.out_w - 1) * conv.stride_w + (conv.kernel_w - 1) * conv.dilation_w + 1;
  const size_t vectors = CeilDiv(std::min(conv.in_channels, kBlockChannels), table.lanes);
  t.vector_stride = t.columns * table.lanes;
  t.row_stride = t.vector_stride * vectors;
  t.blocks = CeilDiv(conv.in_channels, kBlockChannels);
  const size_t row_bytes = t.row_stride * sizeof(int32_t);
  const size_t fitting = std::max<size_t>(kBandBytes / row_bytes, 1);
  while (t.out_rows < conv.out_h && PairRowsOf(conv, t.out_rows + 1) <= fitting) ++t.out_rows;
  t.bands = CeilDiv(conv.out_h, t.out_rows);
  t.bytes = AlignUp(PairRowsOf(conv, t.out_rows) * row_bytes, kBlockAlign);
  return t;
}

struct Work {
  const ByteConv& conv;
  const ByteConvArgs& args;
  const DepthwiseTable& table;
  Tiling tiling;
};

template <class T>
void PairRow(const Work& work, size_t image, size_t pair, size_t channel, size_t channels,
             void (*fn)(const RowPair<T>&), int32_t* out) {
  const ByteConv& conv = work.conv;
  const Tiling& t = work.tiling;
  const size_t left = std::min(conv.pad_left, t.columns);
  RowPair<T> rows;
  rows.columns = std::min(conv.in_w, t.columns - left);
  rows.ldx = conv.in_channels;
  rows.channels = channels;
  rows.zero = work.args.x_zero;
  rows.pair = out + left * work.table.lanes;
  rows.vector_stride = t.vector_stride;
  const auto row = [&](size_t padded) -> const T* {
    if (padded < conv.pad_top || padded - conv.pad_top >= conv.in_h) return nullptr;
    return static_cast<const T*>(work.args.x) +
           (image * conv.in_h + padded - conv.pad_top) * conv.in_w * conv.in_channels + channel;
  };
  rows.upper = row(2 * pair);
  rows.lower = row(2 * pair + 1);
  fn(rows);
  const size_t right = t.columns - left - rows.columns;
  for (size_t v = 0; v < CeilDiv(channels, work.table.lanes); ++v) {
    int32_t* line = out + v * t.vector_stride;
    std::fill_n(line, left * work.table.lanes, 0);
    std::fill_n(line + (t.columns - right) * work.table.lanes, right * work.table.lanes, 0);
  }
}

void RunItem(const Work& work, size_t item, int32_t* scratch) {
  const ByteConv& conv = work.conv;
  const Tiling& t = work.tiling;
  const size_t block = item % t.blocks;
  const size_t band = item / t.blocks % t.bands;
  const size_t image = item / t.blocks / t.bands;
  const size_t channel = block * kBlockChannels;
  const size_t channels = std::min(conv.in_channels - channel, kBlockChannels);
  const size_t first = band * t.out_rows;
  const size_t rows = std::min(t.out_rows, conv.out_h - first);
  const size_t first_pair = first * conv.stride_h / 2;
  const size_t end_pair = ((first + rows - 1) * conv.stride_h + conv.kernel_h - 1) / 2 + 1;
  for (size_t pair = first_pair; pair < end_pair; ++pair) {
    int32_t* out = scratch + (pair - first_pair) * t.row_stride;
    if (work.args.x_signed) {
      PairRow<int8_t>(work, image, pair, channel, channels, work.table.pair_i8, out);
    } else {
      PairRow<uint8_t>(work, image, pair, channel, channels, work.table.pair_u8, out);
    }
  }
  const size_t padded = AlignUp(conv.in_channels, work.table.lanes);
  const size_t even_elems = PairRows(conv, false) * conv.kernel_w * padded;
  const size_t bytes = SumToBytes(work.args.out.to);
  DepthwiseRow row;
  row.row_stride = t.row_stride;
  row.vector_stride = t.vector_stride;
  row.kernel_w = conv.kernel_w;
  row.stride_w = conv.stride_w;
  row.dilation_w = conv.dilation_w;
  row.out_w = conv.out_w;
  row.channels = channels;
  row.ldy = conv.out_channels;
  row.out = work.args.out;
  row.out.bias += channel;
  if (row.out.scale != nullptr) row.out.scale += channel;
  for (size_t y = first; y < first + rows; ++y) {
    const size_t top = y * conv.stride_h;
    const bool odd = top % 2 != 0;
    row.x = scratch + (top / 2 - first_pair) * t.row_stride;
    row.pair_rows = PairRows(conv, odd);
    row.weights =
        work.args.weights + (odd ? even_elems : 0) + channel * row.pair_rows * conv.kernel_w;
    row.y = static_cast<std::byte*>(work.args.y) +
            ((image * conv.out_h + y) * conv.out_w * conv.out_channels + channel) * bytes;
    work.table.row(row);
  }
}

}  // namespace

std::optional<size_t> DepthwiseScratch(const ByteConv& conv, const DepthwiseTable& table) {
  constexpr size_t kLimit = size_t{1} << 31;
  const size_t reach = (conv.kernel_w - 1) * conv.dilation_w + 1;
  const auto columns = CheckedAdd(conv.out_w * conv.stride_w, reach);
  const auto row = columns ? CheckedMul(*columns, kBlockChannels + table.lanes) : std::nullopt;
  const auto rows = row ? CheckedMul(*row, conv.kernel_h + 2) : std::nullopt;
  if (!rows || *rows > kLimit) return std::nullopt;
  return MakeTiling(conv, table).bytes;
}

void RunDepthwise(const ByteConv& conv, const ByteConvArgs& args, const DepthwiseTable& table,
                  ThreadPool* pool, size_t width) {
  const Work work{conv, args, table, MakeTiling(conv, table)};
  const size_t sums = conv.batch * conv.out_pixels() * conv.out_channels;
  const size_t taps = conv.kernel_h * conv.kernel_w;
  const size_t threads = std::clamp<size_t>(
      sums / std::max<size_t>(kMinWorkPerThread / (taps + 1), 1), 1, std::max<size_t>(width, 1));
  const size_t items = conv.batch * work.tiling.bands * work.tiling.blocks;
  std::atomic<size_t> next{0};
  ParallelFor(pool, threads, threads, [&](size_t begin, size_t end) {
    for (size_t task = begin; task < end; ++task) {
      auto* scratch = reinterpret_cast<int32_t*>(args.scratch + task * work.tiling.bytes);
      for (size_t item = next.fetch_add(1, std::memory_order_relaxed); item < items;
           item = next.fetch_add(1, std::memory_order_relaxed)) {
        RunItem(work, item, scratch);
      }
    }
  });
}

size_t DepthwiseWeightElems(const ByteConv& conv, const DepthwiseTable& table) {
  const size_t padded = AlignUp(conv.in_channels, table.lanes);
  return (PairRows(conv, false) + PairRows(conv, true)) * conv.kernel_w * padded;
}

void PackDepthwise(const ByteConv& conv, const DepthwiseTable& table,
                   int16_t (*weight)(const void* context, size_t channel, size_t ky, size_t kx),
                   const void* context, int32_t* packed) {
  for (const bool odd : {false, true}) {
    for (size_t c = 0; c < conv.in_channels; c += table.lanes) {
      for (size_t pair = 0; pair < PairRows(conv, odd); ++pair) {
        for (size_t kx = 0; kx < conv.kernel_w; ++kx) {
          for (size_t lane = 0; lane < table.lanes; ++lane) {
            uint32_t both = 0;
            for (size_t half = 0; half < 2; ++half) {
              const size_t at = 2 * pair + half;  // one more than ky where the first row is odd
              if (c + lane >= conv.in_channels || (odd && at == 0)) continue;
              const size_t ky = at - (odd ? 1 : 0);
              if (ky >= conv.kernel_h) continue;
              const auto bits = static_cast<uint16_t>(weight(context, c + lane, ky, kx));
              both |= static_cast<uint32_t>(bits) << (16 * half);
            }
            *packed++ = static_cast<int32_t>(both);
          }
        }
      }
    }
  }
}

}  // namespace waybill::cpu
