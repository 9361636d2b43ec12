#include "cpu/quant/depthwise_conv.h"

#include <algorithm>
#include <cstring>

#include "base/math/checked.h"
#include "memory/source/source.h"
#include "parallel/pool/item_queue.h"
#include "parallel/pool/thread_pool.h"
#include "parallel/pool/threads_for.h"

namespace waybill::cpu {
namespace {

// Bytes of pair rows at a time: they stay in the nearer half of the second-level cache.
constexpr size_t kRingBytes = size_t{64} << 10;
// Channels of a block come in whole cache lines of the input.
constexpr size_t kLineChannels = 64;
constexpr double kNsPerMultiplication = 0.08;

// Pair rows of filters whose first row is the upper (even) or the lower row of a pair.
size_t PairRows(const ByteConv& conv, bool odd) {
  return odd ? conv.kernel_h / 2 + 1 : (conv.kernel_h + 1) / 2;
}

// Channels fall into blocks, output rows into bands. A band makes each pair row when the first
// output row needs it, in the place of one that none needs any more.
struct Tiling {
  size_t columns = 0;  // padded input columns
  size_t vector_stride = 0;
  size_t row_stride = 0;
  size_t ring = 1;  // pair rows that are held
  size_t block_channels = 0;
  size_t blocks = 0;
  size_t band_rows = 1;  // output rows
  size_t bands = 1;

  size_t ring_bytes() const { return AlignUp(ring * row_stride * sizeof(int32_t), kBlockAlign); }
  size_t bytes() const {
    return ring_bytes() + AlignUp(ring * sizeof(const int32_t*), kBlockAlign);
  }
};

Tiling MakeTiling(const ByteConv& conv, const DepthwiseTable& table, size_t threads) {
  Tiling t;
  t.columns = conv.out_w == 0
                  ? 1
                  : (conv.out_w - 1) * conv.stride_w + (conv.kernel_w - 1) * conv.dilation_w + 1;
  t.ring = std::max(PairRows(conv, false), PairRows(conv, true));
  const size_t line_bytes = t.ring * t.columns * kLineChannels * sizeof(int32_t);
  t.block_channels = std::max<size_t>(kRingBytes / line_bytes, 1) * kLineChannels;
  t.blocks = CeilDiv(conv.in_channels, t.block_channels);
  t.vector_stride = t.columns * table.lanes;
  const size_t channels = std::min(t.block_channels, conv.in_channels);
  t.row_stride = t.vector_stride * CeilDiv(channels, table.lanes);
  const size_t items = conv.batch * t.blocks;
  if (threads > 1 && items < 2 * threads)
    t.bands = CeilDiv(2 * threads, std::max<size_t>(items, 1));
  t.band_rows = std::max<size_t>(CeilDiv(conv.out_h, t.bands), 1);
  t.bands = CeilDiv(conv.out_h, t.band_rows);
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

void MakePairRow(const Work& work, size_t image, size_t pair, size_t channel, size_t channels,
                 int32_t* out) {
  if (work.args.x_signed) {
    PairRow<int8_t>(work, image, pair, channel, channels, work.table.pair_i8, out);
  } else {
    PairRow<uint8_t>(work, image, pair, channel, channels, work.table.pair_u8, out);
  }
}

void RunItem(const Work& work, size_t item, std::byte* scratch) {
  const ByteConv& conv = work.conv;
  const Tiling& t = work.tiling;
  const size_t block = item % t.blocks;
  const size_t band = item / t.blocks % t.bands;
  const size_t image = item / t.blocks / t.bands;
  const size_t channel = block * t.block_channels;
  const size_t channels = std::min(conv.in_channels - channel, t.block_channels);
  auto* const ring = reinterpret_cast<int32_t*>(scratch);
  auto* const rows = reinterpret_cast<const int32_t**>(scratch + t.ring_bytes());
  const size_t padded = AlignUp(conv.in_channels, work.table.lanes);
  const size_t even_elems = PairRows(conv, false) * conv.kernel_w * padded;
  DepthwiseRow row;
  row.x = rows;
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
  const size_t end = std::min((band + 1) * t.band_rows, conv.out_h);
  size_t next_pair = band * t.band_rows * conv.stride_h / 2;
  for (size_t y = band * t.band_rows; y < end; ++y) {
    const size_t top = y * conv.stride_h;
    const bool odd = top % 2 != 0;
    row.pair_rows = PairRows(conv, odd);
    for (size_t i = 0; i < row.pair_rows; ++i) {
      const size_t pair = top / 2 + i;
      int32_t* const place = ring + pair % t.ring * t.row_stride;
      rows[i] = place;
      if (pair < next_pair) continue;
      MakePairRow(work, image, pair, channel, channels, place);
      next_pair = pair + 1;
    }
    row.weights =
        work.args.weights + (odd ? even_elems : 0) + channel * row.pair_rows * conv.kernel_w;
    const size_t at = ((image * conv.out_h + y) * conv.out_w * conv.out_channels + channel);
    row.y = static_cast<std::byte*>(work.args.y) + at * SumToBytes(work.args.out.to);
    work.table.row(row);
  }
}

}  // namespace

std::optional<size_t> DepthwiseScratch(const ByteConv& conv, const DepthwiseTable& table) {
  constexpr size_t kLimit = size_t{1} << 31;
  const size_t reach = (conv.kernel_w - 1) * conv.dilation_w + 1;
  const auto columns = CheckedAdd(conv.out_w * conv.stride_w, reach);
  const auto row = columns ? CheckedMul(*columns, kLineChannels + table.lanes) : std::nullopt;
  const auto rows = row ? CheckedMul(*row, conv.kernel_h + 2) : std::nullopt;
  if (!rows || *rows > kLimit) return std::nullopt;
  return MakeTiling(conv, table, 1).bytes();
}

void RunDepthwise(const ByteConv& conv, const ByteConvArgs& args, const DepthwiseTable& table,
                  ThreadPool* pool, size_t width) {
  const size_t sums = conv.batch * conv.out_pixels() * conv.out_channels;
  const size_t taps = conv.kernel_h * conv.kernel_w;
  const size_t threads = ThreadsFor(sums * (taps + 1), kNsPerMultiplication, width);
  const Work work{conv, args, table, MakeTiling(conv, table, threads)};
  const size_t items = conv.batch * work.tiling.bands * work.tiling.blocks;
  ItemQueue queue(items, threads);
  ParallelFor(pool, threads, threads, [&](size_t begin, size_t end) {
    for (size_t task = begin; task < end; ++task) {
      std::byte* scratch = args.scratch + task * work.tiling.bytes();
      for (size_t item; queue.Next(task, item);) {
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
