#include "cpu/quant/byte_conv.h"

#include <algorithm>
#include <cstring>

#include "base/math/checked.h"
#include "memory/source/source.h"
#include "parallel/pool/item_queue.h"
#include "parallel/pool/thread_pool.h"
#include "parallel/pool/threads_for.h"

namespace waybill::cpu {
namespace {

// Bytes of a band's rows and results: all panels go over them while they are in the first-level
// cache.
constexpr size_t kBandBytes = size_t{24} << 10;
constexpr double kNsPerMultiplication = 0.018;
// Rows that whole tiles of 5 and of 6 rows divide.
constexpr size_t kWholeTiles = 30;

struct Bands {
  size_t rows = 0;  // of all, and of a band
  size_t band = 1;
  size_t count = 0;
  size_t pitch = 0;   // bytes of a copied row
  bool copy = false;  // rows are copied: they have another sign, or no whole number of quads

  size_t place_bytes() const { return AlignUp(band * sizeof(uint32_t), kBlockAlign); }
  size_t thread_bytes() const { return place_bytes() + AlignUp(band * pitch, kBlockAlign); }
};

Bands MakeBands(const ByteConv& conv, bool copy) {
  Bands bands;
  bands.rows = conv.batch * conv.out_pixels();
  bands.copy = copy;
  bands.pitch = AlignUp(conv.in_channels, size_t{4});
  const size_t fitting = kBandBytes / std::max<size_t>(bands.pitch + conv.out_channels, 1);
  bands.band = std::max(fitting / kWholeTiles, size_t{1}) * kWholeTiles;
  bands.band = std::clamp<size_t>(bands.band, 1, std::max<size_t>(bands.rows, 1));
  bands.count = CeilDiv(bands.rows, bands.band);
  return bands;
}

// Bytes from the first row of the input to that of output row `row`.
size_t RowPlace(const ByteConv& conv, size_t row) {
  const size_t image = row / conv.out_pixels(), pixel = row % conv.out_pixels();
  const size_t y = pixel / conv.out_w * conv.stride_h, x = pixel % conv.out_w * conv.stride_w;
  return ((image * conv.in_h + y) * conv.in_w + x) * conv.in_channels;
}

struct Work {
  const ByteConv& conv;
  const BytePanelArgs& panels;
  const ByteConvArgs& args;
  const ByteProductTable& table;
  const int32_t* bias;  // with the zero point's share
  Bands bands;
  size_t parts = 1;
};

// Every pixel of the input is one of the output.
bool IsDense(const ByteConv& conv) { return conv.out_h == conv.in_h && conv.out_w == conv.in_w; }

// Where the band's rows are, from the returned byte on.
const uint8_t* PlaceRows(const Work& work, size_t first, size_t rows, std::byte* scratch) {
  const auto* x = static_cast<const uint8_t*>(work.args.x);
  auto* places = reinterpret_cast<uint32_t*>(scratch);
  const size_t channels = work.conv.in_channels;
  if (!work.bands.copy && IsDense(work.conv)) {
    for (size_t i = 0; i < rows; ++i) places[i] = static_cast<uint32_t>(i * channels);
    return x + first * channels;
  }
  if (!work.bands.copy) {
    const size_t base = RowPlace(work.conv, first);
    for (size_t i = 0; i < rows; ++i) {
      places[i] = static_cast<uint32_t>(RowPlace(work.conv, first + i) - base);
    }
    return x + base;
  }
  auto* copy = reinterpret_cast<uint8_t*>(scratch + work.bands.place_bytes());
  const uint8_t flip = work.args.x_signed ? 0x80 : 0;
  for (size_t i = 0; i < rows; ++i) {
    places[i] = static_cast<uint32_t>(i * work.bands.pitch);
    const uint8_t* from = x + RowPlace(work.conv, first + i);
    uint8_t* to = copy + i * work.bands.pitch;
    for (size_t c = 0; c < channels; ++c) to[c] = static_cast<uint8_t>(from[c] ^ flip);
    for (size_t c = channels; c < work.bands.pitch; ++c) to[c] = 0;
  }
  return copy;
}

void RunItem(const Work& work, size_t item, std::byte* scratch) {
  const BytePanels& panels = *work.panels.panels;
  const size_t part = item % work.parts;
  const size_t first = item / work.parts * work.bands.band;
  const size_t rows = std::min(work.bands.band, work.bands.rows - first);
  const size_t bytes = SumToBytes(work.args.out.to);
  ByteProductArgs product;
  product.a = PlaceRows(work, first, rows, scratch);
  product.rows = reinterpret_cast<const uint32_t*>(scratch);
  product.m = rows;
  product.ldc = panels.n();
  const size_t end = panels.panels() * (part + 1) / work.parts;
  for (size_t panel = panels.panels() * part / work.parts; panel < end; ++panel) {
    const size_t column = panel * panels.nr();
    product.offsets = panels.offsets(panel);
    product.steps = panels.steps(panel);
    product.panel = work.panels.weights + panels.Offset(panel);
    product.n = panels.PanelColumns(panel);
    product.c = static_cast<std::byte*>(work.args.y) + (first * panels.n() + column) * bytes;
    product.out = work.args.out;
    product.out.bias = work.bias + column;
    if (product.out.scale != nullptr) product.out.scale += column;
    work.table.run(product);
  }
}

size_t BiasBytes(const ByteConv& conv, const ByteProductTable& table) {
  return AlignUp((conv.out_channels + table.lanes) * sizeof(int32_t), kBlockAlign);
}

}  // namespace

bool IsPointwise(const ByteConv& conv) {
  if (conv.out_pixels() == 0) return true;
  return conv.groups == 1 && conv.kernel_h == 1 && conv.kernel_w == 1 && conv.pad_top == 0 &&
         conv.pad_left == 0 && (conv.out_h - 1) * conv.stride_h < conv.in_h &&
         (conv.out_w - 1) * conv.stride_w < conv.in_w;
}

std::optional<size_t> PointwiseScratch(const ByteConv& conv, SimdTarget target, size_t width) {
  constexpr size_t kLimit = size_t{1} << 31;
  // Rows of a band lie within 32 bits of each other.
  const auto row = CheckedMul(conv.in_channels, std::max<size_t>(conv.in_w * conv.stride_h, 1));
  const auto reach = row ? CheckedMul(*row, kWholeTiles + 1) : std::nullopt;
  if (!reach || *reach > kLimit) return std::nullopt;
  const auto all = CheckedMul(MakeBands(conv, true).thread_bytes(), width);
  if (!all) return std::nullopt;
  return CheckedAdd(*all, BiasBytes(conv, QuantByteProduct(target)));
}

void RunPointwise(const ByteConv& conv, const BytePanelArgs& panels, const ByteConvArgs& args,
                  SimdTarget target, ThreadPool* pool, size_t width) {
  if (conv.batch == 0 || conv.out_pixels() == 0 || conv.out_channels == 0) return;
  const ByteProductTable& table = QuantByteProduct(target);
  auto* bias = reinterpret_cast<int32_t*>(args.scratch);
  const int32_t zero = args.x_zero + (args.x_signed ? 128 : 0);
  const std::vector<int32_t>& sums = panels.panels->sums();
  for (size_t n = 0; n < conv.out_channels; ++n) {
    // Modulo 2^32, as all sums.
    bias[n] = static_cast<int32_t>(static_cast<uint32_t>(args.out.bias[n]) -
                                   static_cast<uint32_t>(zero) * static_cast<uint32_t>(sums[n]));
  }
  std::fill_n(bias + conv.out_channels, table.lanes, 0);
  const bool copy = args.x_signed || conv.in_channels % 4 != 0;
  Work work{conv, panels, args, table, bias, MakeBands(conv, copy)};
  const size_t products = conv.out_channels * std::max<size_t>(conv.in_channels, 1);
  const size_t threads = ThreadsFor(
      static_cast<double>(work.bands.rows) * static_cast<double>(products) * kNsPerMultiplication,
      width);
  size_t items = work.bands.count;
  if (threads > 1 && items < 2 * threads) {
    work.parts = std::clamp<size_t>(panels.panels->panels(), 1, CeilDiv(2 * threads, items));
    items *= work.parts;
  }
  std::byte* const scratch = args.scratch + BiasBytes(conv, table);
  ItemQueue queue(items, threads);
  ParallelFor(pool, threads, threads, [&](size_t begin, size_t end) {
    for (size_t task = begin; task < end; ++task) {
      std::byte* own = scratch + task * MakeBands(conv, true).thread_bytes();
      for (size_t item; queue.Next(task, item);) {
        RunItem(work, item, own);
      }
    }
  });
}

}  // namespace waybill::cpu
