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

// Sums of two rows of so many pixels, two rows of three taps and an element of the input fill the
// vector registers.
constexpr int kPixels = 4;

// What a tile does with its sums, read once: stores to y could change it otherwise.
struct Finish {
  explicit Finish(const DepthwiseTileArgs& args)
      : y(args.y),
        row_pitch(args.y_row_pitch),
        pitch(args.y_pitch),
        clamp(args.low > -std::numeric_limits<float>::infinity() ||
              args.high < std::numeric_limits<float>::infinity()),
        low(args.low),
        high(args.high) {}

  HWY_INLINE Vec Clamped(Vec sum) const {
    const Tag d;
    return clamp ? ClampKeepingNan(d, sum, hn::Set(d, low), hn::Set(d, high)) : sum;
  }

  float* y;
  size_t row_pitch, pitch;
  bool clamp;
  float low, high;
};

HWY_INLINE Vec BiasAt(const float* bias, size_t c) {
  const Tag d;
  return bias != nullptr ? hn::LoadU(d, bias + c) : hn::Zero(d);
}

// Fetches channels from `c` on of the columns behind the tile's.
HWY_INLINE void FetchAhead(const float* const* columns, size_t row_stride, size_t rows,
                           size_t count, size_t c) {
  constexpr size_t kLineFloats = 16;
  if (c % kLineFloats != 0) return;
  for (size_t r = 0; r < rows; ++r, columns += row_stride) {
    for (size_t t = 0; t < count; ++t) __builtin_prefetch(columns[t] + c, 0, 3);
  }
}

// Adds what one row of the input gives to rows [kFrom, kTo) of the output: square windows of kW,
// the stride kS in both directions. `weights` are the taps that output row 0 has for it.
template <int kW, int kS, int kFrom, int kTo>
HWY_INLINE void AddRow(const float* const* columns, const float* weights, size_t channels, size_t c,
                       Vec (&acc)[2][kPixels]) {
  const Tag d;
  Vec taps[2][kW];
  HWY_UNROLL(2)
  for (int r = kFrom; r < kTo; ++r) {
    const float* row = weights - static_cast<size_t>(r * kS * kW) * channels;
    HWY_UNROLL(8)
    for (int kx = 0; kx < kW; ++kx) {
      taps[r][kx] = hn::LoadU(d, row + static_cast<size_t>(kx) * channels);
    }
  }
  HWY_UNROLL(16)
  for (int column = 0; column < (kPixels - 1) * kS + kW; ++column) {
    const Vec x = hn::LoadU(d, columns[column] + c);
    HWY_UNROLL(8)
    for (int kx = 0; kx < kW; ++kx) {
      const int shifted = column - kx;
      if (shifted < 0 || shifted % kS != 0 || shifted / kS >= kPixels) continue;
      HWY_UNROLL(2)
      for (int r = kFrom; r < kTo; ++r) {
        acc[r][shifted / kS] = hn::MulAdd(x, taps[r][kx], acc[r][shifted / kS]);
      }
    }
  }
}

// Two rows of kPixels.
template <int kW, int kS>
HWY_NOINLINE void RunPair(const DepthwiseTileArgs& args) {
  const Tag d;
  const size_t lanes = hn::Lanes(d), channels = args.channels, row_stride = args.row_stride;
  const size_t last_channel = args.last_channel, ahead_rows = args.ahead_rows;
  const size_t tap_row = kW * channels;
  const float* const weights = args.weights;
  const float* const bias = args.bias;
  const float* const* const first_row = args.columns;
  const Finish finish(args);
  for (size_t first = args.first_channel; first < last_channel; first += lanes) {
    FetchAhead(first_row + kPixels * kS, row_stride, ahead_rows, kPixels * kS, first);
    // Where channels do not fill whole vectors, the last overlaps the one before it.
    const size_t c = HWY_MIN(first, channels - lanes);
    Vec acc[2][kPixels];
    HWY_UNROLL(8)
    for (int t = 0; t < kPixels; ++t) acc[0][t] = acc[1][t] = BiasAt(bias, c);
    const float* const* row = first_row;
    const float* w = weights + c;
    for (int ky = 0; ky < kS; ++ky, row += row_stride, w += tap_row) {
      AddRow<kW, kS, 0, 1>(row, w, channels, c, acc);
    }
    for (int ky = kS; ky < kW; ++ky, row += row_stride, w += tap_row) {
      AddRow<kW, kS, 0, 2>(row, w, channels, c, acc);
    }
    for (int ky = kW; ky < kW + kS; ++ky, row += row_stride, w += tap_row) {
      AddRow<kW, kS, 1, 2>(row, w, channels, c, acc);
    }
    HWY_UNROLL(2)
    for (int r = 0; r < 2; ++r) {
      float* y = finish.y + static_cast<size_t>(r) * finish.row_pitch + c;
      HWY_UNROLL(8)
      for (int t = 0; t < kPixels; ++t, y += finish.pitch) {
        hn::StoreU(finish.Clamped(acc[r][t]), d, y);
      }
    }
  }
}

// Any window, one row of kT pixels, kV vectors of channels at a time.
template <int kT, int kV>
HWY_NOINLINE void RunRow(const DepthwiseTileArgs& args) {
  const Tag d;
  const size_t lanes = hn::Lanes(d), channels = args.channels, step = kV * lanes;
  const DepthwiseTileArgs in = args;
  const Finish finish(args);
  for (size_t first = in.first_channel; first < in.last_channel; first += step) {
    FetchAhead(in.columns + kT * in.stride_w, in.row_stride, in.ahead_rows, kT * in.stride_w,
               first);
    const size_t c = HWY_MIN(first, channels - step);
    Vec acc[kV][kT];
    HWY_UNROLL(2)
    for (int v = 0; v < kV; ++v) {
      HWY_UNROLL(8)
      for (int t = 0; t < kT; ++t) acc[v][t] = BiasAt(in.bias, c + static_cast<size_t>(v) * lanes);
    }
    const float* w = in.weights + c;
    for (size_t ky = 0; ky < in.kernel_h; ++ky) {
      const float* const* column = in.columns + ky * in.dilation_h * in.row_stride;
      for (size_t kx = 0; kx < in.kernel_w; ++kx, column += in.dilation_w, w += channels) {
        Vec taps[kV];
        HWY_UNROLL(2)
        for (int v = 0; v < kV; ++v) taps[v] = hn::LoadU(d, w + static_cast<size_t>(v) * lanes);
        HWY_UNROLL(8)
        for (int t = 0; t < kT; ++t) {
          const float* from = column[static_cast<size_t>(t) * in.stride_w] + c;
          HWY_UNROLL(2)
          for (int v = 0; v < kV; ++v) {
            const Vec x = hn::LoadU(d, from + static_cast<size_t>(v) * lanes);
            acc[v][t] = hn::MulAdd(x, taps[v], acc[v][t]);
          }
        }
      }
    }
    float* y = finish.y + c;
    HWY_UNROLL(8)
    for (int t = 0; t < kT; ++t, y += finish.pitch) {
      HWY_UNROLL(2)
      for (int v = 0; v < kV; ++v) {
        hn::StoreU(finish.Clamped(acc[v][t]), d, y + static_cast<size_t>(v) * lanes);
      }
    }
  }
}

// Any window, one row of any number of pixels, less than a vector of channels.
void RunThin(const DepthwiseTileArgs& args) {
  const Tag d;
  const size_t channels = args.channels;
  const Finish finish(args);
  for (size_t t = 0; t < args.pixels; ++t) {
    Vec acc = args.bias != nullptr ? LoadFirst(d, args.bias, channels) : hn::Zero(d);
    const float* w = args.weights;
    for (size_t ky = 0; ky < args.kernel_h; ++ky) {
      const float* const* column =
          args.columns + ky * args.dilation_h * args.row_stride + t * args.stride_w;
      for (size_t kx = 0; kx < args.kernel_w; ++kx, column += args.dilation_w, w += channels) {
        acc = hn::MulAdd(LoadFirst(d, *column, channels), LoadFirst(d, w, channels), acc);
      }
    }
    StoreFirst(d, finish.Clamped(acc), finish.y + t * finish.pitch, channels);
  }
}

void RunRows(const DepthwiseTileArgs& args) {
  const size_t lanes = hn::Lanes(Tag());
  auto* run = args.channels < lanes        ? RunThin
              : args.pixels != kPixels     ? RunRow<1, 1>
              : args.channels >= 2 * lanes ? RunRow<kPixels, 2>
                                           : RunRow<kPixels, 1>;
  DepthwiseTileArgs row = args;
  for (size_t r = 0; r < args.rows; ++r) {
    run(row);
    row.ahead_rows = 0;  // the first row has seen to them
    row.columns += args.stride_h * args.row_stride;
    row.y += args.y_row_pitch;
  }
}

void RunTile(const DepthwiseTileArgs& args) {
#if HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR  // without vectors the rest does as well
  const bool square = args.kernel_h == args.kernel_w && args.dilation_h == 1 &&
                      args.dilation_w == 1 && args.stride_h == args.stride_w;
  if (square && args.rows == 2 && args.pixels == kPixels && args.channels >= hn::Lanes(Tag())) {
    const size_t w = args.kernel_w, s = args.stride_w;
    if (w == 3 && s == 1) return RunPair<3, 1>(args);
    if (w == 3 && s == 2) return RunPair<3, 2>(args);
    if (w == 5 && s == 1) return RunPair<5, 1>(args);
    if (w == 5 && s == 2) return RunPair<5, 2>(args);
  }
#endif
  RunRows(args);
}

constexpr DepthwiseTable kDepthwiseTiles = {kPixels, RunTile};

}  // namespace waybill::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace waybill::cpu {

const DepthwiseTable& DepthwiseTiles(SimdTarget target) { WB_SIMD_TABLE(target, kDepthwiseTiles) }

}  // namespace waybill::cpu
#endif
