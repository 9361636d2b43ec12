#include "cpu/conv/nhwc/lrn.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/conv/nhwc/lrn.cc"
#include "cpu/simd/highway.h"
// After Highway's own headers.
#include "cpu/simd/partial-inl.h"

HWY_BEFORE_NAMESPACE();
namespace waybill::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::ScalableTag<float>;
using Vec = hn::Vec<Tag>;

HWY_INLINE Vec Load(const float* from, size_t count) {
  const Tag d;
  return count < hn::Lanes(d) ? LoadFirst(d, from, count) : hn::LoadU(d, from);
}

void LrnRow(const LrnScaleArgs& args, const float* x, float* scale) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  // Squares with zeros around them; the windows of the last vector end in zeros as well.
  float* squares = args.squares + args.before;
  for (size_t c = 0; c < args.channels; c += lanes) {
    const Vec v = Load(x + c, args.channels - c);
    hn::StoreU(hn::Mul(v, v), d, squares + c);
  }
  for (size_t c = args.channels; c < args.channels + args.after + lanes; ++c) squares[c] = 0;
  const size_t window = args.before + 1 + args.after;
  for (size_t c = 0; c < args.channels; c += lanes) {
    Vec sum = hn::Zero(d);
    for (size_t k = 0; k < window; ++k) sum = hn::Add(sum, hn::LoadU(d, args.squares + c + k));
    Vec result = hn::MulAdd(hn::Set(d, args.factor), sum, hn::Set(d, args.bias));
    if (args.three_quarters) {
      const Vec root = hn::Sqrt(result);
      result = hn::Div(Load(x + c, args.channels - c), hn::Mul(root, hn::Sqrt(root)));
    }
    if (args.channels - c < lanes) {
      StoreFirst(d, result, scale + c, args.channels - c);
    } else {
      hn::StoreU(result, d, scale + c);
    }
  }
}

void Lrn(const LrnScaleArgs& args) {
  for (size_t i = 0; i < args.before; ++i) args.squares[i] = 0;
  for (size_t row = 0; row < args.rows; ++row) {
    LrnRow(args, args.x + row * args.channels, args.scale + row * args.channels);
  }
}

constexpr LrnScaleFn kLrn = Lrn;

}  // namespace waybill::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace waybill::cpu {

LrnScaleFn LrnScale(SimdTarget target) { WB_SIMD_TABLE(target, kLrn) }

}  // namespace waybill::cpu
#endif
