// Sin and Cos of f32 vectors within 2 ULP. Include it after cpu/simd/highway.h; it is read once
// per target.

#if defined(WAYBILL_CPU_SIMD_TRIGONOMETRY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WAYBILL_CPU_SIMD_TRIGONOMETRY_INL_H_
#undef WAYBILL_CPU_SIMD_TRIGONOMETRY_INL_H_
#else
#define WAYBILL_CPU_SIMD_TRIGONOMETRY_INL_H_
#endif

#include <cmath>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace waybill::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Beyond this the quarter turns can not be counted exactly in f32.
inline constexpr float kMaxAngle = 65536.0f;

// x - turns * pi / 2, reduced in double. The first constant has so few bits that its product is
// exact.
template <class DF, class VF>
WB_LARGE_INLINE VF ReduceHalf(DF df, VF x, VF turns) {
  const hn::Rebind<double, DF> dd;
  const auto n = hn::PromoteTo(dd, turns);
  auto r = hn::Sub(hn::PromoteTo(dd, x), hn::Mul(n, hn::Set(dd, 1.57079632673412561417e+00)));
  r = hn::Sub(r, hn::Mul(n, hn::Set(dd, 6.07710050650619224932e-11)));
  return hn::DemoteTo(df, r);
}

template <class D, class V>
WB_LARGE_INLINE V Reduce(D d, V x, V turns) {
#if HWY_TARGET == HWY_SCALAR
  return ReduceHalf(d, x, turns);
#else
  const hn::Half<D> dh;
  return hn::Combine(d, ReduceHalf(dh, hn::UpperHalf(dh, x), hn::UpperHalf(dh, turns)),
                     ReduceHalf(dh, hn::LowerHalf(dh, x), hn::LowerHalf(dh, turns)));
#endif
}

template <class V>
struct SinCosPair {
  V sin, cos;
};

// Of |r| slightly above pi / 4 at most.
template <class D, class V>
WB_LARGE_INLINE SinCosPair<V> SinCosOfReduced(D d, V r) {
  const V t = hn::Mul(r, r);
  V p = hn::Set(d, -1.95166558e-4f);
  p = hn::MulAdd(p, t, hn::Set(d, 8.33217354e-3f));
  p = hn::MulAdd(p, t, hn::Set(d, -1.66666549e-1f));
  const V sin = hn::MulAdd(hn::Mul(p, t), r, r);
  V q = hn::Set(d, 2.44631388e-5f);
  q = hn::MulAdd(q, t, hn::Set(d, -1.38876492e-3f));
  q = hn::MulAdd(q, t, hn::Set(d, 4.16666546e-2f));
  const V cos = hn::MulAdd(hn::Mul(t, t), q, hn::NegMulAdd(hn::Set(d, 0.5f), t, hn::Set(d, 1.0f)));
  return {sin, cos};
}

// `shift` quarter turns ahead of sin: 0 is sin, 1 is cos.
template <uint32_t kShift, class D, class V>
WB_LARGE_INLINE V SinShifted(D d, V x) {
  const hn::RebindToUnsigned<D> du;
  const V magic = hn::Set(d, 12582912.0f);
  const V shifted = hn::MulAdd(x, hn::Set(d, 0.636619772f), magic);
  const V turns = hn::Sub(shifted, magic);
  const V r = Reduce(d, x, turns);
  const SinCosPair<V> of = SinCosOfReduced(d, r);
  const auto quadrant = hn::Add(hn::BitCast(du, shifted), hn::Set(du, kShift));
  const auto one = hn::Set(du, 1u), two = hn::Set(du, 2u);
  const auto odd = hn::RebindMask(d, hn::Eq(hn::And(quadrant, one), one));
  const V sign = hn::BitCast(d, hn::ShiftLeft<30>(hn::And(quadrant, two)));
  return hn::Xor(hn::IfThenElse(odd, of.cos, of.sin), sign);
}

// The lanes of `x` beyond kMaxAngle, infinities and NaN.
template <uint32_t kShift, class D, class V>
HWY_NOINLINE V SinOfOthers(D d, V x, V results) {
  HWY_ALIGN float angles[hn::MaxLanes(D())], out[hn::MaxLanes(D())];
  hn::Store(x, d, angles);
  hn::Store(results, d, out);
  for (size_t i = 0; i < hn::Lanes(d); ++i) {
    if (std::abs(angles[i]) <= kMaxAngle) continue;
    out[i] = kShift == 0 ? std::sin(angles[i]) : std::cos(angles[i]);
  }
  return hn::Load(d, out);
}

template <uint32_t kShift, class D, class V>
WB_LARGE_INLINE V SinOrCos(D d, V x) {
  const V result = SinShifted<kShift>(d, x);
  if (hn::AllTrue(d, hn::Le(hn::Abs(x), hn::Set(d, kMaxAngle)))) return result;
  return SinOfOthers<kShift>(d, x, result);
}

template <class D, class V>
WB_LARGE_INLINE V Sin(D d, V x) {
  // The product with a small angle would lose the sign of zero and bits of denormals.
  return hn::IfThenElse(hn::Lt(hn::Abs(x), hn::Set(d, 1e-4f)), x, SinOrCos<0>(d, x));
}
template <class D, class V>
WB_LARGE_INLINE V Cos(D d, V x) {
  return SinOrCos<1>(d, x);
}

}  // namespace waybill::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
