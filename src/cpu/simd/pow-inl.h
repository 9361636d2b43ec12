// Pow of f32 vectors: exp2(b * log2(a)) in double, so that the result is nearly always rounded
// correctly. Include it after cpu/simd/highway.h; it is read once per target.

#if defined(WAYBILL_CPU_SIMD_POW_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WAYBILL_CPU_SIMD_POW_INL_H_
#undef WAYBILL_CPU_SIMD_POW_INL_H_
#else
#define WAYBILL_CPU_SIMD_POW_INL_H_
#endif

#include <cmath>
#include <cstdint>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace waybill::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// log2(a) for positive finite a, relative error below 2^-38.
template <class DD, class VD>
WB_LARGE_INLINE VD Log2OfPositive(DD dd, VD a) {
  const hn::RebindToUnsigned<DD> du;
  constexpr uint64_t kSqrtHalf = 0x3FE6A09E667F3BCDu;
  constexpr uint64_t kOne = 0x3FF0000000000000u;
  const auto bits = hn::Add(hn::BitCast(du, a), hn::Set(du, kOne - kSqrtHalf));
  const auto fraction = hn::And(bits, hn::Set(du, 0x000FFFFFFFFFFFFFu));
  const VD m = hn::BitCast(dd, hn::Add(fraction, hn::Set(du, kSqrtHalf)));
  // The exponent as the low bits of 2^52 + exponent.
  const auto magic = hn::Or(hn::ShiftRight<52>(bits), hn::Set(du, 0x4330000000000000u));
  const VD exponent = hn::Sub(hn::BitCast(dd, magic), hn::Set(dd, 4503599627370496.0 + 1023.0));
  const VD one = hn::Set(dd, 1.0);
  const VD s = hn::Div(hn::Sub(m, one), hn::Add(m, one));
  const VD t = hn::Mul(s, s);
  VD p = hn::Set(dd, 0.24293681082680983);
  p = hn::MulAdd(p, t, hn::Set(dd, 0.26144241959283863));
  p = hn::MulAdd(p, t, hn::Set(dd, 0.32061644870647243));
  p = hn::MulAdd(p, t, hn::Set(dd, 0.4121984011241007));
  p = hn::MulAdd(p, t, hn::Set(dd, 0.57707801725270104));
  p = hn::MulAdd(p, t, hn::Set(dd, 0.96179669392431849));
  p = hn::MulAdd(p, t, hn::Set(dd, 2.8853900817779273));
  return hn::MulAdd(s, p, exponent);
}

// 2^y for |y| <= 1000.
template <class DD, class VD>
WB_LARGE_INLINE VD Exp2(DD dd, VD y) {
  const hn::RebindToUnsigned<DD> du;
  const VD magic = hn::Set(dd, 6755399441055744.0);  // 1.5 * 2^52
  const VD shifted = hn::Add(y, magic);
  const VD r = hn::Sub(y, hn::Sub(shifted, magic));
  VD p = hn::Set(dd, 1.3264067285740711e-6);
  p = hn::MulAdd(p, r, hn::Set(dd, 1.5310081014071366e-5));
  p = hn::MulAdd(p, r, hn::Set(dd, 0.00015403411641606373));
  p = hn::MulAdd(p, r, hn::Set(dd, 0.0013333450560939131));
  p = hn::MulAdd(p, r, hn::Set(dd, 0.009618129228479092));
  p = hn::MulAdd(p, r, hn::Set(dd, 0.055504109412147767));
  p = hn::MulAdd(p, r, hn::Set(dd, 0.24022650695467633));
  p = hn::MulAdd(p, r, hn::Set(dd, 0.69314718054593069));
  p = hn::MulAdd(p, r, hn::Set(dd, 1.000000000000027));
  const auto exponent = hn::Add(hn::BitCast(du, shifted), hn::Set(du, uint64_t{1023}));
  return hn::Mul(p, hn::BitCast(dd, hn::ShiftLeft<52>(exponent)));
}

// pow(a, b) for positive finite a and finite b.
template <class DF, class VF>
WB_LARGE_INLINE VF PowOfPositive(DF df, VF a, VF b) {
  const hn::Rebind<double, DF> dd;
  const auto log = Log2OfPositive(dd, hn::PromoteTo(dd, a));
  const auto product = hn::Mul(hn::PromoteTo(dd, b), log);
  const auto low = hn::Set(dd, -200.0), high = hn::Set(dd, 200.0);
  return hn::DemoteTo(df, Exp2(dd, hn::Min(hn::Max(product, low), high)));
}

template <class D, class V>
WB_LARGE_INLINE V PowOfPositiveHalves(D d, V a, V b) {
#if HWY_TARGET == HWY_SCALAR
  return PowOfPositive(d, a, b);
#else
  const hn::Half<D> dh;
  return hn::Combine(d, PowOfPositive(dh, hn::UpperHalf(dh, a), hn::UpperHalf(dh, b)),
                     PowOfPositive(dh, hn::LowerHalf(dh, a), hn::LowerHalf(dh, b)));
#endif
}

// pow(a, 0.5): the square root but for -0 and -infinity.
template <class D, class V>
WB_LARGE_INLINE V PowHalf(D d, V a) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const V root = hn::Add(hn::Sqrt(a), hn::Zero(d));
  return hn::IfThenElse(hn::Eq(a, hn::Set(d, -kInf)), hn::Set(d, kInf), root);
}

// Bases and exponents outside of PowOfPositive's.
template <class D, class V, class M>
HWY_NOINLINE V PowOfOthers(D d, V a, V b, V results, M others) {
  constexpr size_t kLanes = hn::MaxLanes(D());
  HWY_ALIGN float bases[kLanes], exponents[kLanes], out[kLanes], wanted[kLanes];
  hn::Store(a, d, bases);
  hn::Store(b, d, exponents);
  hn::Store(results, d, out);
  hn::Store(hn::IfThenElseZero(others, hn::Set(d, 1.0f)), d, wanted);
  for (size_t i = 0; i < hn::Lanes(d); ++i) {
    if (wanted[i] != 0) out[i] = std::pow(bases[i], exponents[i]);
  }
  return hn::Load(d, out);
}

// 2, 3, 1/2 and -1 are computed by multiplication, root and division.
template <class D, class V>
WB_LARGE_INLINE V Pow(D d, V a, V b) {
  const V inf = hn::Set(d, std::numeric_limits<float>::infinity());
  const auto plain =
      hn::And(hn::And(hn::Gt(a, hn::Zero(d)), hn::Lt(a, inf)), hn::Lt(hn::Abs(b), inf));
  V result = PowOfPositiveHalves(d, a, b);
  if (!hn::AllTrue(d, plain)) result = PowOfOthers(d, a, b, result, hn::Not(plain));
  result = hn::IfThenElse(hn::Eq(b, hn::Set(d, 2.0f)), hn::Mul(a, a), result);
  result = hn::IfThenElse(hn::Eq(b, hn::Set(d, 3.0f)), hn::Mul(hn::Mul(a, a), a), result);
  result = hn::IfThenElse(hn::Eq(b, hn::Set(d, 0.5f)), PowHalf(d, a), result);
  return hn::IfThenElse(hn::Eq(b, hn::Set(d, -1.0f)), hn::Div(hn::Set(d, 1.0f), a), result);
}

}  // namespace waybill::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
