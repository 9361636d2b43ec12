#include "cpu/resize/blend.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/resize/blend.cc"
#include "cpu/simd/highway.h"

HWY_BEFORE_NAMESPACE();
namespace waybill::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Rows of one element.
void BlendElements(const BlendArgs& args) {
  const uint32_t* index = args.index;
  const float* weight = args.weight;
  const float* in = args.in;
  if (args.taps == 2) {
    for (size_t o = 0; o < args.count; ++o) {
      const float a = in[index[2 * o] - args.base], b = in[index[2 * o + 1] - args.base];
      args.out[o] = weight[2 * o] * a + weight[2 * o + 1] * b;
    }
    return;
  }
  for (size_t o = 0; o < args.count; ++o, index += args.taps, weight += args.taps) {
    float sum = 0;
    for (size_t t = 0; t < args.taps; ++t) sum += weight[t] * in[index[t] - args.base];
    args.out[o] = sum;
  }
}

// Elements [i, inner) of one output row, as many as whole vectors of D hold.
template <class D>
HWY_INLINE size_t BlendTwo(D d, const float* a, const float* b, float wa, float wb, float* out,
                           size_t i, size_t inner) {
  const auto va = hn::Set(d, wa), vb = hn::Set(d, wb);
  for (; i + hn::Lanes(d) <= inner; i += hn::Lanes(d)) {
    const auto first = hn::Mul(va, hn::LoadU(d, a + i));
    hn::StoreU(hn::Add(first, hn::Mul(vb, hn::LoadU(d, b + i))), d, out + i);
  }
  return i;
}

template <class D>
HWY_INLINE size_t BlendMany(D d, const BlendArgs& args, const uint32_t* index, const float* weight,
                            float* out, size_t i) {
  for (; i + hn::Lanes(d) <= args.inner; i += hn::Lanes(d)) {
    auto sum = hn::Zero(d);
    for (size_t t = 0; t < args.taps; ++t) {
      const float* row = args.in + size_t{index[t] - args.base} * args.inner;
      sum = hn::Add(sum, hn::Mul(hn::Set(d, weight[t]), hn::LoadU(d, row + i)));
    }
    hn::StoreU(sum, d, out + i);
  }
  return i;
}

void Blend(const BlendArgs& args) {
  if (args.inner == 1) return BlendElements(args);
  const hn::ScalableTag<float> wide;
  const hn::CappedTag<float, 1> one;
  const uint32_t* index = args.index;
  const float* weight = args.weight;
  float* out = args.out;
  for (size_t o = 0; o < args.count; ++o) {
    if (args.taps == 2) {
      const float* a = args.in + size_t{index[0] - args.base} * args.inner;
      const float* b = args.in + size_t{index[1] - args.base} * args.inner;
      const size_t done = BlendTwo(wide, a, b, weight[0], weight[1], out, 0, args.inner);
      BlendTwo(one, a, b, weight[0], weight[1], out, done, args.inner);
    } else {
      const size_t done = BlendMany(wide, args, index, weight, out, 0);
      BlendMany(one, args, index, weight, out, done);
    }
    index += args.taps;
    weight += args.taps;
    out += args.inner;
  }
}

constexpr BlendTable kBlendTable = {Blend};

}  // namespace waybill::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace waybill::cpu {

const BlendTable& BlendFunctions(SimdTarget target) { WB_SIMD_TABLE(target, kBlendTable) }

}  // namespace waybill::cpu
#endif
