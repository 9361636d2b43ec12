#include "cpu/conv/nhwc/depthwise_tile.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/conv/nhwc/depthwise_tile.cc"
#include "cpu/simd/highway.h"
// After Highway's own headers.
#include "cpu/simd/partial-inl.h"

HWY_BEFORE_NAMESPACE();
namespace waybill::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::ScalableTag<float>;
using Vec = hn::Vec<Tag>;

// Sums of a tile (two rows or two vectors of this many pixels), a row of taps and one element of
// the input fill the vector registers.
constexpr int kMaxPixels = 4;

// Tiles are kT pixels wide, kR rows high and kV vectors of channels deep. kW and kS are the taps
// and the stride of both directions when they are known here, with dilation 1; 0 otherwise.

// Square windows of kW: every input row adds to output row 0, to row 1, or to both.
template <int kT, int kR, int kV, int kW, int kS>
HWY_INLINE void SumFixed(const DepthwiseTileArgs& args, size_t c, Vec (&acc)[kR][kT][kV]) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  const size_t pitch = args.channels;
  const float* weights = args.weights + c;
  const float* const* columns = args.columns;
  HWY_UNROLL(8)
  for (int row = 0; row < kW + (kR - 1) * kS; ++row, columns += args.row_stride) {
    Vec taps[kR][kW][kV];
    HWY_UNROLL(2)
    for (int r = 0; r < kR; ++r) {
      const int ky = row - r * kS;
      if (ky < 0 || ky >= kW) continue;
      HWY_UNROLL(8)
      for (int kx = 0; kx < kW; ++kx) {
        const float* from = weights + static_cast<size_t>(ky * kW + kx) * pitch;
        HWY_UNROLL(2)
        for (int v = 0; v < kV; ++v) {
          taps[r][kx][v] = hn::LoadU(d, from + static_cast<size_t>(v) * lanes);
        }
      }
    }
    HWY_UNROLL(16)
    for (int column = 0; column < (kT - 1) * kS + kW; ++column) {
      const float* from = columns[column] + c;
      HWY_UNROLL(2)
      for (int v = 0; v < kV; ++v) {
        const Vec x = hn::LoadU(d, from + static_cast<size_t>(v) * lanes);
        HWY_UNROLL(8)
        for (int kx = 0; kx < kW; ++kx) {
          const int shifted = column - kx;
          if (shifted < 0 || shifted % kS != 0 || shifted / kS >= kT) continue;
          HWY_UNROLL(2)
          for (int r = 0; r < kR; ++r) {
            const int ky = row - r * kS;
            if (ky < 0 || ky >= kW) continue;
            acc[r][shifted / kS][v] = hn::MulAdd(x, taps[r][kx][v], acc[r][shifted / kS][v]);
          }
        }
      }
    }
  }
}

// Any window, one row; `count` channels when that is less than a vector.
template <int kT, int kV>
HWY_INLINE void SumAny(const DepthwiseTileArgs& args, size_t c, size_t count,
                       Vec (&acc)[1][kT][kV]) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  const float* w = args.weights + c;
  for (size_t ky = 0; ky < args.kernel_h; ++ky) {
    const float* const* row = args.columns + ky * args.dilation_h * args.row_stride;
    for (size_t kx = 0; kx < args.kernel_w; ++kx, w += args.channels) {
      const float* const* column = row + kx * args.dilation_w;
      HWY_UNROLL(2)
      for (int v = 0; v < kV; ++v) {
        const size_t at = static_cast<size_t>(v) * lanes;
        const Vec tap = count < lanes ? LoadFirst(d, w, count) : hn::LoadU(d, w + at);
        HWY_UNROLL(8)
        for (int t = 0; t < kT; ++t) {
          const float* from = column[static_cast<size_t>(t) * args.stride_w] + c;
          const Vec x = count < lanes ? LoadFirst(d, from, count) : hn::LoadU(d, from + at);
          acc[0][t][v] = hn::MulAdd(x, tap, acc[0][t][v]);
        }
      }
    }
  }
}

// The tile's kV vectors from channel `c` on; `count` channels when that is less than a vector.
template <int kT, int kR, int kV, int kW, int kS>
HWY_INLINE void Depth(const DepthwiseTileArgs& args, size_t c, size_t count) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  Vec acc[kR][kT][kV];
  HWY_UNROLL(2)
  for (int v = 0; v < kV; ++v) {
    Vec bias = hn::Zero(d);
    if (args.bias != nullptr) {
      const float* from = args.bias + c + static_cast<size_t>(v) * lanes;
      bias = count < lanes ? LoadFirst(d, from, count) : hn::LoadU(d, from);
    }
    HWY_UNROLL(2)
    for (int r = 0; r < kR; ++r) {
      HWY_UNROLL(8)
      for (int t = 0; t < kT; ++t) acc[r][t][v] = bias;
    }
  }
  if constexpr (kW != 0) {
    SumFixed<kT, kR, kV, kW, kS>(args, c, acc);
  } else {
    SumAny<kT, kV>(args, c, count, acc);
  }
  const Vec low = hn::Set(d, args.low), high = hn::Set(d, args.high);
  HWY_UNROLL(2)
  for (int r = 0; r < kR; ++r) {
    HWY_UNROLL(8)
    for (int t = 0; t < kT; ++t) {
      float* y = args.y + static_cast<size_t>(r) * args.y_row_pitch +
                 static_cast<size_t>(t) * args.channels + c;
      HWY_UNROLL(2)
      for (int v = 0; v < kV; ++v) {
        const Vec sum = ClampKeepingNan(d, acc[r][t][v], low, high);
        if (count < lanes) {
          StoreFirst(d, sum, y, count);
        } else {
          hn::StoreU(sum, d, y + static_cast<size_t>(v) * lanes);
        }
      }
    }
  }
}

// All channels; where they do not fill whole steps, the last step overlaps the one before it.
template <int kT, int kR, int kV, int kW, int kS>
HWY_NOINLINE void Channels(const DepthwiseTileArgs& args) {
  const size_t lanes = hn::Lanes(Tag()), step = kV * lanes;
  if (args.channels < step) {
    Depth<kT, kR, kV, kW, kS>(args, 0, args.channels);  // less than a vector
    return;
  }
  const size_t stride = kS != 0 ? kS : args.stride_w;
  constexpr size_t kLineFloats = 16;
  for (size_t c = args.first_channel; c < args.last_channel; c += step) {
    if (c % kLineFloats == 0) {
      const float* const* ahead = args.columns + kT * stride;
      for (size_t r = 0; r < args.ahead_rows; ++r, ahead += args.row_stride) {
        for (size_t t = 0; t < kT * stride; ++t) __builtin_prefetch(ahead[t] + c, 0, 3);
      }
    }
    Depth<kT, kR, kV, kW, kS>(args, HWY_MIN(c, args.channels - step), lanes);
  }
}

using ChannelsFn = void (*)(const DepthwiseTileArgs&);

template <int kT, int kR, int kV, int kW, int kS>
ChannelsFn ForPixels(size_t pixels) {
  if constexpr (kT > 1) {
    if (pixels < static_cast<size_t>(kT)) return ForPixels<kT - 1, kR, kV, kW, kS>(pixels);
  }
  return Channels<kT, kR, kV, kW, kS>;
}

template <int kW, int kS>
void RunFixed(const DepthwiseTileArgs& args) {
  const size_t lanes = hn::Lanes(Tag());
  if (args.rows == 2) {
    ForPixels<kMaxPixels, 2, 1, kW, kS>(args.pixels)(args);
  } else if (args.channels >= 2 * lanes) {
    ForPixels<kMaxPixels, 1, 2, kW, kS>(args.pixels)(args);
  } else {
    ForPixels<kMaxPixels, 1, 1, kW, kS>(args.pixels)(args);
  }
}

void RunAny(const DepthwiseTileArgs& args) {
  const size_t lanes = hn::Lanes(Tag());
  DepthwiseTileArgs row = args;
  for (size_t r = 0; r < args.rows; ++r) {
    if (args.channels >= 2 * lanes) {
      ForPixels<kMaxPixels, 1, 2, 0, 0>(args.pixels)(row);
    } else {
      ForPixels<kMaxPixels, 1, 1, 0, 0>(args.pixels)(row);
    }
    row.ahead_rows = 0;  // the first row has seen to them
    row.columns += args.stride_h * args.row_stride;
    row.y += args.y_row_pitch;
  }
}

void RunTile(const DepthwiseTileArgs& args) {
#if HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR  // without vectors the rest does as well
  const bool fixed = args.kernel_h == args.kernel_w && args.dilation_h == 1 &&
                     args.dilation_w == 1 && args.stride_h == args.stride_w &&
                     args.channels >= hn::Lanes(Tag());
  const size_t w = args.kernel_w, s = args.stride_w;
  if (fixed && w == 3 && s == 1) return RunFixed<3, 1>(args);
  if (fixed && w == 3 && s == 2) return RunFixed<3, 2>(args);
  if (fixed && w == 5 && s == 1) return RunFixed<5, 1>(args);
  if (fixed && w == 5 && s == 2) return RunFixed<5, 2>(args);
#endif
  RunAny(args);
}

constexpr DepthwiseTable kDepthwiseTiles = {kMaxPixels, RunTile};

}  // namespace waybill::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace waybill::cpu {

const DepthwiseTable& DepthwiseTiles(SimdTarget target) { WB_SIMD_TABLE(target, kDepthwiseTiles) }

}  // namespace waybill::cpu
#endif
