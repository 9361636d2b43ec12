#include "cpu/conv/nhwc/depthwise_tile.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/conv/nhwc/depthwise_tile.cc"
#include "cpu/simd/highway.h"
// After Highway's own headers.
#include "cpu/simd/partial-inl.h"

HWY_BEFORE_NAMESPACE();
namespace waybill::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<float, kLineChannels>;
using Vec = hn::Vec<Tag>;

// Pixels of a tile: their sums, a row of taps and one element of the input fill the registers.
constexpr int kPixels = 8;

// kT pixels from column `x` of the input row on, at vector offset `c` of the line. kW and kS are
// the taps and the stride of a row when they are known here, with dilation 1; 0 otherwise.
template <int kT, int kW, int kS>
HWY_INLINE void Sum(const DepthwiseRowArgs& args, size_t x, size_t c, Vec (&acc)[kT]) {
  const Tag d;
  const float* w = args.weights + c;
  for (size_t ky = 0; ky < args.kernel_h; ++ky) {
    const float* row = args.rows[ky] + x * kLineChannels + c;
    if constexpr (kW != 0) {
      Vec taps[kW];
      HWY_UNROLL(8)
      for (int kx = 0; kx < kW; ++kx)
        taps[kx] = hn::Load(d, w + static_cast<size_t>(kx) * args.weight_pitch);
      HWY_UNROLL(32)
      for (int column = 0; column < (kT - 1) * kS + kW; ++column) {
        const Vec v = hn::Load(d, row + static_cast<size_t>(column) * kLineChannels);
        HWY_UNROLL(8)
        for (int kx = 0; kx < kW; ++kx) {
          const int shifted = column - kx;
          if (shifted >= 0 && shifted % kS == 0 && shifted / kS < kT) {
            acc[shifted / kS] = hn::MulAdd(v, taps[kx], acc[shifted / kS]);
          }
        }
      }
      w += kW * args.weight_pitch;
    } else {
      for (size_t kx = 0; kx < args.kernel_w; ++kx, w += args.weight_pitch) {
        const Vec tap = hn::Load(d, w);
        const float* from = row + kx * args.dilation * kLineChannels;
        HWY_UNROLL(8)
        for (int t = 0; t < kT; ++t) {
          const size_t column = static_cast<size_t>(t) * args.stride;
          acc[t] = hn::MulAdd(hn::Load(d, from + column * kLineChannels), tap, acc[t]);
        }
      }
    }
  }
}

// `count` tiles of kT pixels from pixel `pixel` on.
template <int kT, int kW, int kS>
HWY_NOINLINE void Tiles(const DepthwiseRowArgs& args, size_t c, size_t pixel, size_t count) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  const size_t channels = HWY_MIN(lanes, args.channels - c);
  const Vec low = hn::Set(d, args.low), high = hn::Set(d, args.high);
  Vec bias = hn::Zero(d);
  if (args.bias != nullptr) {
    bias = channels == lanes ? hn::LoadU(d, args.bias + c) : LoadFirst(d, args.bias + c, channels);
  }
  for (; count > 0; --count, pixel += kT) {
    Vec acc[kT];
    HWY_UNROLL(8)
    for (int t = 0; t < kT; ++t) acc[t] = bias;
    Sum<kT, kW, kS>(args, pixel * args.stride, c, acc);
    if (args.clamp) {
      HWY_UNROLL(8)
      for (int t = 0; t < kT; ++t) acc[t] = ClampKeepingNan(d, acc[t], low, high);
    }
    float* y = args.y + pixel * args.y_pitch + c;
    if (channels == lanes) {
      HWY_UNROLL(8)
      for (int t = 0; t < kT; ++t) hn::StoreU(acc[t], d, y + static_cast<size_t>(t) * args.y_pitch);
    } else {
      for (int t = 0; t < kT; ++t) {
        StoreFirst(d, acc[t], y + static_cast<size_t>(t) * args.y_pitch, channels);
      }
    }
  }
}

using TilesFn = void (*)(const DepthwiseRowArgs&, size_t, size_t, size_t);

template <int kT, int kW, int kS>
TilesFn TilesOf(size_t pixels) {
  if constexpr (kT > 1) {
    if (pixels < static_cast<size_t>(kT)) return TilesOf<kT - 1, kW, kS>(pixels);
  }
  return Tiles<kT, kW, kS>;
}

// Tiles of nearly equal width, for each vector of the line.
template <int kW, int kS>
void RunRow(const DepthwiseRowArgs& args) {
  const size_t tiles = (args.pixels + kPixels - 1) / kPixels;
  if (tiles == 0) return;
  const size_t low = args.pixels / tiles, wide = args.pixels % tiles;
  const TilesFn first = TilesOf<kPixels, kW, kS>(low + 1), rest = TilesOf<kPixels, kW, kS>(low);
  for (size_t c = 0; c < args.channels; c += hn::Lanes(Tag())) {
    if (wide != 0) first(args, c, 0, wide);
    rest(args, c, wide * (low + 1), tiles - wide);
  }
}

void Row(const DepthwiseRowArgs& args) {
  if (args.dilation == 1 && args.stride == 1 && args.kernel_w == 3) return RunRow<3, 1>(args);
  if (args.dilation == 1 && args.stride == 1 && args.kernel_w == 5) return RunRow<5, 1>(args);
  if (args.dilation == 1 && args.stride == 2 && args.kernel_w == 3) return RunRow<3, 2>(args);
  if (args.dilation == 1 && args.stride == 2 && args.kernel_w == 5) return RunRow<5, 2>(args);
  RunRow<0, 0>(args);
}

void Copy(const LineCopyArgs& args) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  const float* x = args.x;
  float* to = args.lines;
  if (args.channels == kLineChannels) {
    for (size_t i = 0; i < args.pixels; ++i, x += args.pitch, to += kLineChannels) {
      for (size_t c = 0; c < kLineChannels; c += lanes) hn::Store(hn::LoadU(d, x + c), d, to + c);
    }
    return;
  }
  for (size_t i = 0; i < args.pixels; ++i, x += args.pitch, to += kLineChannels) {
    size_t c = 0;
    for (; c + lanes <= args.channels; c += lanes) hn::Store(hn::LoadU(d, x + c), d, to + c);
    for (; c < kLineChannels; c += lanes) {
      const size_t rest = c < args.channels ? args.channels - c : 0;
      hn::Store(rest == 0 ? hn::Zero(d) : LoadFirst(d, x + c, rest), d, to + c);
    }
  }
}

constexpr DepthwiseTable kDepthwiseTiles = {Row, Copy};

}  // namespace waybill::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace waybill::cpu {

const DepthwiseTable& DepthwiseTiles(SimdTarget target) { WB_SIMD_TABLE(target, kDepthwiseTiles) }

}  // namespace waybill::cpu
#endif
