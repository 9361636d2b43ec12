#include "cpu/quant/conv.h"

#include <algorithm>
#include <cstring>

#include "base/math/checked.h"
#include "cpu/quant/depthwise_conv.h"
#include "memory/source/source.h"
#include "parallel/pool/item_queue.h"
#include "parallel/pool/thread_pool.h"
#include "parallel/pool/threads_for.h"

namespace waybill::cpu {
namespace {

// Bytes of widened input and of results that a band aims at.
constexpr size_t kBandBytes = size_t{32} << 10;
constexpr double kNsPerMultiplication = 0.04;
// Elements past the end of a band that pairs may read.
constexpr size_t kSlack = 32;
// Pixels that tiles of 2, 4 and 6 rows divide.
constexpr size_t kWholeTiles = 24;

// One thread's scratch: the widened band and where its output pixels begin in it.
struct Band {
  size_t out_rows = 1;  // output rows at a time
  size_t columns = 0;   // padded input columns
  size_t pitch = 0;     // elements from input row to input row
  size_t in_rows = 0;
  size_t count = 0;  // bands of an image

  size_t elems() const { return in_rows * pitch + kSlack; }
  size_t place_offset() const { return AlignUp(elems() * sizeof(int16_t), kBlockAlign); }
  size_t segment_offset(const ByteConv& conv) const {
    return AlignUp(place_offset() + out_rows * conv.out_w * sizeof(uint32_t), kBlockAlign);
  }
  size_t bytes(const ByteConv& conv) const {
    return AlignUp(segment_offset(conv) + conv.segments() * sizeof(uint32_t), kBlockAlign);
  }
};

Band MakeBand(const ByteConv& conv) {
  Band band;
  band.columns = conv.out_w == 0
                     ? 0
                     : (conv.out_w - 1) * conv.stride_w + (conv.kernel_w - 1) * conv.dilation_w + 1;
  band.pitch = band.columns * conv.in_channels;
  const size_t reach = (conv.kernel_h - 1) * conv.dilation_h + 1;
  const size_t row_bytes = std::max<size_t>(band.pitch * sizeof(int16_t), 1);
  const size_t out_bytes = conv.out_w * conv.out_channels;
  const size_t first = reach * row_bytes + out_bytes;
  const size_t more = conv.stride_h * row_bytes + out_bytes;
  const size_t rows = first < kBandBytes ? (kBandBytes - first) / more + 1 : 1;
  band.out_rows = std::clamp<size_t>(rows, 1, std::max<size_t>(conv.out_h, 1));
  // Bands of one size: no small last one.
  band.count = CeilDiv(conv.out_h, band.out_rows);
  if (band.count > 0) band.out_rows = CeilDiv(conv.out_h, band.count);
  // Pixels alone: whole tiles.
  if (conv.out_w == 1 && band.count > 1)
    band.out_rows = CeilDiv(band.out_rows, kWholeTiles) * kWholeTiles;
  band.count = CeilDiv(conv.out_h, band.out_rows);
  band.in_rows = (band.out_rows - 1) * conv.stride_h + reach;
  return band;
}

struct Work {
  const ByteConv& conv;
  const WeightLayout& layout;
  const ByteConvArgs& args;
  const ProductTable& table;
  Band band;
  size_t parts = 1;  // of the panels of an item
};

void WidenRun(const Work& work, size_t from, size_t count, int16_t* out) {
  if (work.args.x_signed) {
    work.table.widen_i8(static_cast<const int8_t*>(work.args.x) + from, count, work.args.x_zero,
                        out);
  } else {
    work.table.widen_u8(static_cast<const uint8_t*>(work.args.x) + from, count, work.args.x_zero,
                        out);
  }
}

// Padded input rows [first, first + rows) of an image.
void WidenBand(const Work& work, size_t image, size_t first, size_t rows, int16_t* out) {
  const ByteConv& conv = work.conv;
  const size_t channels = conv.in_channels;
  const size_t left = std::min(conv.pad_left, work.band.columns);
  const size_t columns = std::min(conv.in_w, work.band.columns - left);
  const size_t image_begin = image * conv.in_h;
  const bool dense = left == 0 && columns == work.band.columns && columns == conv.in_w;
  if (dense && first >= conv.pad_top && first + rows <= conv.pad_top + conv.in_h) {
    WidenRun(work, (image_begin + first - conv.pad_top) * conv.in_w * channels,
             rows * work.band.pitch, out);
    return;
  }
  for (size_t row = first; row < first + rows; ++row, out += work.band.pitch) {
    if (row < conv.pad_top || row >= conv.pad_top + conv.in_h) {
      std::fill_n(out, work.band.pitch, int16_t{0});
      continue;
    }
    std::fill_n(out, left * channels, int16_t{0});
    WidenRun(work, (image_begin + row - conv.pad_top) * conv.in_w * channels, columns * channels,
             out + left * channels);
    const size_t done = (left + columns) * channels;
    std::fill_n(out + done, work.band.pitch - done, int16_t{0});
  }
}

void FillSegments(const Work& work, uint32_t* segments) {
  const ByteConv& conv = work.conv;
  const size_t taps = conv.WholeRows() ? 1 : conv.kernel_w;
  for (size_t s = 0; s < conv.segments(); ++s) {
    segments[s] = static_cast<uint32_t>(s / taps * conv.dilation_h * work.band.pitch +
                                        s % taps * conv.dilation_w * conv.in_channels);
  }
}

void RunPanels(const Work& work, size_t first, size_t pixels, size_t part, ProductArgs product) {
  const ByteConv& conv = work.conv;
  const WeightLayout& layout = work.layout;
  const size_t group_in = conv.in_channels / conv.groups;
  const size_t bytes = SumToBytes(work.args.out.to);
  const size_t total = layout.groups() * layout.panels();
  const int16_t* const a = product.a;
  product.m = pixels;
  for (size_t i = total * part / work.parts; i < total * (part + 1) / work.parts; ++i) {
    const size_t group = i / layout.panels();
    const size_t panel = i % layout.panels();
    const size_t column = panel * layout.nr();
    const size_t padded = group * layout.padded_columns() + column;
    product.a = a + group * group_in;
    product.panel = work.args.weights + layout.PanelOffset(group, panel);
    product.n = layout.PanelColumns(panel);
    product.c = static_cast<std::byte*>(work.args.y) +
                (first * conv.out_channels + group * layout.columns() + column) * bytes;
    product.out = work.args.out;
    product.out.bias += padded;
    if (product.out.scale != nullptr) product.out.scale += padded;
    work.table.run(product);
  }
}

void RunItem(const Work& work, size_t item, std::byte* scratch) {
  const ByteConv& conv = work.conv;
  const Band& band = work.band;
  const size_t part = item % work.parts;
  const size_t index = item / work.parts % band.count;
  const size_t image = item / work.parts / band.count;
  const size_t row = index * band.out_rows;
  const size_t rows = std::min(band.out_rows, conv.out_h - row);
  auto* widened = reinterpret_cast<int16_t*>(scratch);
  auto* places = reinterpret_cast<uint32_t*>(scratch + band.place_offset());
  auto* segments = reinterpret_cast<uint32_t*>(scratch + band.segment_offset(conv));

  const size_t reach = (conv.kernel_h - 1) * conv.dilation_h + 1;
  const size_t in_rows = (rows - 1) * conv.stride_h + reach;
  WidenBand(work, image, row * conv.stride_h, in_rows, widened);
  std::fill_n(widened + in_rows * band.pitch, kSlack, int16_t{0});
  FillSegments(work, segments);
  uint32_t* place = places;
  for (size_t y = 0; y < rows; ++y) {
    for (size_t x = 0; x < conv.out_w; ++x) {
      *place++ = static_cast<uint32_t>(y * conv.stride_h * band.pitch +
                                       x * conv.stride_w * conv.in_channels);
    }
  }
  ProductArgs product;
  product.a = widened;
  product.rows = places;
  product.segments = segments;
  product.segment_count = work.layout.segments();
  product.pairs = work.layout.pairs();
  product.ldc = conv.out_channels;
  RunPanels(work, (image * conv.out_h + row) * conv.out_w, rows * conv.out_w, part, product);
}

}  // namespace

void ByteConv::JoinPixels() {
  if (kernel_h != 1 || kernel_w != 1 || stride_h != 1 || stride_w != 1) return;
  if (pad_top != 0 || pad_left != 0 || out_h != in_h || out_w != in_w) return;
  if (IsDepthwise()) return;
  in_h = out_h = batch * in_h * in_w;
  batch = in_w = out_w = 1;
}

std::optional<size_t> ByteConvScratch(const ByteConv& conv, SimdTarget target) {
  if (conv.IsDepthwise()) return DepthwiseScratch(conv, QuantDepthwise(target));
  // Divided, not multiplied, so that nothing can overflow.
  constexpr size_t kLimit = size_t{1} << 31;
  const size_t reach_h = (conv.kernel_h - 1) * conv.dilation_h + 1;
  const size_t reach_w = (conv.kernel_w - 1) * conv.dilation_w + 1;
  const auto columns = CheckedAdd(conv.out_w * conv.stride_w, reach_w);
  const auto row = columns ? CheckedMul(*columns, conv.in_channels) : std::nullopt;
  const auto rows = row ? CheckedMul(*row, reach_h) : std::nullopt;
  if (!rows || *rows > kLimit) return std::nullopt;
  return MakeBand(conv).bytes(conv);
}

void RunByteConv(const ByteConv& conv, const WeightLayout& layout, const ByteConvArgs& args,
                 SimdTarget target, ThreadPool* pool, size_t width) {
  if (conv.batch == 0 || conv.out_pixels() == 0 || conv.out_channels == 0) return;
  if (conv.IsDepthwise()) {
    RunDepthwise(conv, args, QuantDepthwise(target), pool, width);
    return;
  }
  Work work{conv, layout, args, QuantProduct(target), MakeBand(conv)};
  const size_t depth = layout.segments() * layout.length();
  const size_t sums = conv.batch * conv.out_pixels() * conv.out_channels;
  const size_t threads = ThreadsFor(
      static_cast<double>(sums) * static_cast<double>(depth + 1) * kNsPerMultiplication, width);
  size_t items = conv.batch * work.band.count;
  // Parts widen the same band again, so they are for few bands only.
  if (threads > 1 && items < 2 * threads) {
    work.parts =
        std::clamp<size_t>(layout.groups() * layout.panels(), 1, CeilDiv(2 * threads, items));
    items *= work.parts;
  }
  const size_t scratch_bytes = work.band.bytes(conv);
  ItemQueue queue(items, threads);
  ParallelFor(pool, threads, threads, [&](size_t begin, size_t end) {
    for (size_t task = begin; task < end; ++task) {
      std::byte* scratch = args.scratch + task * scratch_bytes;
      for (size_t item; queue.Next(task, item);) {
        RunItem(work, item, scratch);
      }
    }
  });
}

}  // namespace waybill::cpu
