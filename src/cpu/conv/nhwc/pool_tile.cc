#include "cpu/conv/nhwc/pool_tile.h"

#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/conv/nhwc/pool_tile.cc"
#include "cpu/simd/highway.h"
// After Highway's own headers.
#include "cpu/simd/partial-inl.h"

HWY_BEFORE_NAMESPACE();
namespace waybill::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::ScalableTag<float>;
using Vec = hn::Vec<Tag>;

struct MaxOf {
  static Vec Start() { return hn::Set(Tag(), -std::numeric_limits<float>::infinity()); }
  static HWY_INLINE Vec Join(Vec best, Vec v) {
    return hn::IfThenElse(hn::Or(hn::Gt(v, best), hn::IsNaN(v)), v, best);
  }
  static HWY_INLINE Vec End(const PoolTileArgs&, Vec v) { return v; }
};

struct AverageOf {
  static Vec Start() { return hn::Zero(Tag()); }
  static HWY_INLINE Vec Join(Vec sum, Vec v) { return hn::Add(sum, v); }
  static HWY_INLINE Vec End(const PoolTileArgs& args, Vec v) {
    return hn::Div(v, hn::Set(Tag(), args.divisor));
  }
};

// kV vectors from float `at` of every tap on.
template <class Op, int kV>
HWY_INLINE void Vectors(const PoolTileArgs& args, const float* const* taps, size_t count, size_t at,
                        float* y) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  Vec acc[kV];
  HWY_UNROLL(8)
  for (int v = 0; v < kV; ++v) acc[v] = Op::Start();
  for (size_t i = 0; i < count; ++i) {
    const float* from = taps[i] + at;
    HWY_UNROLL(8)
    for (int v = 0; v < kV; ++v) {
      acc[v] = Op::Join(acc[v], hn::LoadU(d, from + static_cast<size_t>(v) * lanes));
    }
  }
  HWY_UNROLL(8)
  for (int v = 0; v < kV; ++v) {
    hn::StoreU(Op::End(args, acc[v]), d, y + static_cast<size_t>(v) * lanes);
  }
}

template <class Op>
void Run(const PoolTileArgs& args) {
  const Tag d;
  const size_t lanes = hn::Lanes(d), channels = args.channels, count = args.count;
  const float* const* taps = args.taps;
  float* y = args.y;
  size_t start = 0;  // of the pixel in its taps
  for (size_t pixels = args.pixels; pixels > 0;
       --pixels, start += args.pixel_step, y += args.y_pitch) {
    size_t c = 0;
    for (; c + 4 * lanes <= channels; c += 4 * lanes) {
      Vectors<Op, 4>(args, taps, count, start + c, y + c);
    }
    for (; c + lanes <= channels; c += lanes) Vectors<Op, 1>(args, taps, count, start + c, y + c);
    const size_t rest = channels - c;
    if (rest == 0) continue;
    Vec acc = Op::Start();
    for (size_t i = 0; i < count; ++i) {
      acc = Op::Join(acc, LoadFirst(d, taps[i] + start + c, rest));
    }
    StoreFirst(d, Op::End(args, acc), y + c, rest);
  }
}

constexpr PoolTable kPoolTiles = {Run<MaxOf>, Run<AverageOf>};

}  // namespace waybill::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace waybill::cpu {

const PoolTable& PoolTiles(SimdTarget target) { WB_SIMD_TABLE(target, kPoolTiles) }

}  // namespace waybill::cpu
#endif
