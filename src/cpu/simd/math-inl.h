// Elementary functions of f32 vectors, within 2.5 ULP of the exact value and with libm's results at
// the edges (NaN, infinities, zeros, overflow, denormal results). Include it after
// cpu/simd/highway.h; it is read once per target.

#if defined(WAYBILL_CPU_SIMD_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WAYBILL_CPU_SIMD_MATH_INL_H_
#undef WAYBILL_CPU_SIMD_MATH_INL_H_
#else
#define WAYBILL_CPU_SIMD_MATH_INL_H_
#endif

#include <cstdint>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace waybill::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The hardware's minps and maxps return the second operand when one is NaN; elsewhere NaN is chosen
// explicitly.
#if HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
#define WB_MIN_MAX_KEEP_SECOND_NAN 1
#else
#define WB_MIN_MAX_KEEP_SECOND_NAN 0
#endif

// max(limit, x) and min(limit, x); a NaN in x stays.
template <class V>
WB_LARGE_INLINE V AtLeast(V limit, V x) {
#if WB_MIN_MAX_KEEP_SECOND_NAN
  return hn::Max(limit, x);
#else
  return hn::IfThenElse(hn::Lt(x, limit), limit, x);
#endif
}
template <class V>
WB_LARGE_INLINE V AtMost(V limit, V x) {
#if WB_MIN_MAX_KEEP_SECOND_NAN
  return hn::Min(limit, x);
#else
  return hn::IfThenElse(hn::Gt(x, limit), limit, x);
#endif
}
#undef WB_MIN_MAX_KEEP_SECOND_NAN

// Polynomials in pairs of terms (Estrin's order): the chains of dependent operations, which bound
// these functions, are half as long as Horner's.
template <class D, class V>
WB_LARGE_INLINE V Linear(D d, V x, float c1, float c0) {
  return hn::MulAdd(hn::Set(d, c1), x, hn::Set(d, c0));
}
// c4 x^4 + ... + c0, with x2 = x^2.
template <class D, class V>
WB_LARGE_INLINE V Poly4(D d, V x, V x2, const float (&c)[5]) {
  const V high = hn::MulAdd(hn::Set(d, c[4]), x2, Linear(d, x, c[3], c[2]));
  return hn::MulAdd(high, x2, Linear(d, x, c[1], c[0]));
}
// c7 x^7 + ... + c0, with x2 = x^2 and x4 = x^4.
template <class D, class V>
WB_LARGE_INLINE V Poly7(D d, V x, V x2, V x4, const float (&c)[8]) {
  const V low = hn::MulAdd(Linear(d, x, c[3], c[2]), x2, Linear(d, x, c[1], c[0]));
  const V high = hn::MulAdd(Linear(d, x, c[7], c[6]), x2, Linear(d, x, c[5], c[4]));
  return hn::MulAdd(high, x4, low);
}

// x = count * ln 2 + rest with |rest| <= ln 2 / 2; |x| <= 2^20.
template <class V>
struct ExpParts {
  V rest;
  V magic_count;  // 1.5 * 2^23 + count: the count is in the low bits
};

template <class D, class V>
WB_LARGE_INLINE ExpParts<V> SplitForExp(D d, V x) {
  const V magic = hn::Set(d, 12582912.0f);
  const V shifted = hn::MulAdd(x, hn::Set(d, 1.44269504f), magic);
  const V count = hn::Sub(shifted, magic);
  V rest = hn::NegMulAdd(count, hn::Set(d, 0.693145752f), x);
  rest = hn::NegMulAdd(count, hn::Set(d, 1.42860677e-6f), rest);
  return {rest, shifted};
}

// exp(rest) - 1.
template <class D, class V>
WB_LARGE_INLINE V ExpRestMinusOne(D d, V rest) {
  const V rest2 = hn::Mul(rest, rest);
  const V p = Poly4(d, rest, rest2,
                    {0.500000003f, 1.66665766e-1f, 4.16663741e-2f, 8.36323508e-3f, 1.39412182e-3f});
  return hn::MulAdd(rest2, p, rest);
}

// 2^count as a number; count in [-126, 127].
template <class D, class V>
WB_LARGE_INLINE V PowerOfTwo(D d, V magic_count) {
  const hn::RebindToUnsigned<D> du;
  const auto bits = hn::Add(hn::BitCast(du, magic_count), hn::Set(du, 127u));
  return hn::BitCast(d, hn::ShiftLeft<23>(bits));
}

// exp(x) for every x. 2^count is applied in two halves, so denormal results are rounded once.
template <class D, class V>
WB_LARGE_INLINE V Exp(D d, V x) {
  const hn::RebindToUnsigned<D> du;
  const hn::RebindToSigned<D> di;
  x = AtMost(hn::Set(d, 89.0f), AtLeast(hn::Set(d, -105.0f), x));
  const ExpParts<V> parts = SplitForExp(d, x);
  const V p = hn::Add(hn::Set(d, 1.0f), ExpRestMinusOne(d, parts.rest));
  const auto count =
      hn::BitCast(di, hn::Sub(hn::BitCast(du, parts.magic_count), hn::Set(du, 0x4B400000u)));
  const auto half = hn::ShiftRight<1>(count);
  const auto bias = hn::Set(di, 127);
  const V first = hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(half, bias)));
  const V second = hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(hn::Sub(count, half), bias)));
  return hn::Mul(hn::Mul(p, first), second);
}

// exp(x) for x <= 0; 0 instead of results below the normal numbers.
template <class D, class V>
WB_LARGE_INLINE V ExpOfNegative(D d, V x) {
  const V low = hn::Set(d, -87.33654f);
  const ExpParts<V> parts = SplitForExp(d, AtLeast(low, x));
  const V p = hn::Add(hn::Set(d, 1.0f), ExpRestMinusOne(d, parts.rest));
  return hn::IfThenZeroElse(hn::Lt(x, low), hn::Mul(p, PowerOfTwo(d, parts.magic_count)));
}

// exp(x) - 1 for x <= 0, exact to the last places near 0.
template <class D, class V>
WB_LARGE_INLINE V Expm1OfNegative(D d, V x) {
  const ExpParts<V> parts = SplitForExp(d, AtLeast(hn::Set(d, -30.0f), x));
  const V scale = PowerOfTwo(d, parts.magic_count);
  const V p = ExpRestMinusOne(d, parts.rest);
  return hn::MulAdd(scale, p, hn::Sub(scale, hn::Set(d, 1.0f)));
}

// log(x) for normal positive x, plus `add_count` * ln 2.
template <class D, class V>
WB_LARGE_INLINE V LogOfNormal(D d, V x, V add_count) {
  const hn::RebindToUnsigned<D> du;
  const hn::RebindToSigned<D> di;
  const auto bits = hn::Sub(hn::BitCast(du, x), hn::Set(du, 0x3F3504F3u));  // sqrt(1/2)
  const auto exponent = hn::ShiftRight<23>(hn::BitCast(di, bits));
  const auto fraction = hn::And(bits, hn::Set(du, 0x007FFFFFu));
  const V m = hn::BitCast(d, hn::Add(fraction, hn::Set(du, 0x3F3504F3u)));
  const V f = hn::Sub(m, hn::Set(d, 1.0f));
  const V k = hn::Add(hn::ConvertTo(d, exponent), add_count);
  const V f2 = hn::Mul(f, f);
  const V f4 = hn::Mul(f2, f2);
  const V p7 = Poly7(d, f, f2, f4,
                     {0.333333119f, -0.249999864f, 0.200021461f, -0.166692164f, 0.142200216f,
                      -0.123855521f, 0.118651321f, -0.117806992f});
  const V p = hn::MulAdd(hn::Mul(f4, f4), hn::Set(d, 0.0692104471f), p7);
  V y = hn::Mul(hn::Mul(f, f2), p);
  y = hn::MulAdd(k, hn::Set(d, -2.12194440e-4f), y);
  y = hn::NegMulAdd(hn::Set(d, 0.5f), f2, y);
  return hn::MulAdd(k, hn::Set(d, 0.693359375f), hn::Add(f, y));
}

template <class D, class V>
WB_LARGE_INLINE V Log(D d, V x) {
  const V zero = hn::Zero(d);
  const auto tiny = hn::Lt(x, hn::Set(d, 1.17549435e-38f));
  const V scaled = hn::IfThenElse(tiny, hn::Mul(x, hn::Set(d, 33554432.0f)), x);  // 2^25
  const V y = LogOfNormal(d, scaled, hn::IfThenElseZero(tiny, hn::Set(d, -25.0f)));
  constexpr float kInf = std::numeric_limits<float>::infinity();
  V result = hn::IfThenElse(hn::Lt(x, hn::Set(d, kInf)), y, x);  // infinity and NaN
  result = hn::IfThenElse(hn::Eq(x, zero), hn::Set(d, -kInf), result);
  return hn::IfThenElse(hn::Lt(x, zero), hn::Set(d, std::numeric_limits<float>::quiet_NaN()),
                        result);
}

// -|x|, but not below -30 for positive x: where only exp of it beside 1 counts, what lies below
// costs the time of denormal numbers for nothing.
template <class D, class V>
WB_LARGE_INLINE V ShallowMinusAbs(D d, V x) {
  return AtMost(AtLeast(hn::Set(d, -30.0f), hn::Neg(x)), x);
}

// 1 / (1 + exp(-x)), to full relative accuracy for very negative x too.
template <class D, class V>
WB_LARGE_INLINE V Sigmoid(D d, V x) {
  const V one = hn::Set(d, 1.0f);
  const V e = Exp(d, ShallowMinusAbs(d, x));
  return hn::Div(hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one), hn::Add(one, e));
}

template <class D, class V>
WB_LARGE_INLINE V Tanh(D d, V x) {
  const V e = Expm1OfNegative(d, hn::Mul(hn::Set(d, -2.0f), hn::Abs(x)));
  const V y = hn::Div(hn::Neg(e), hn::Add(hn::Set(d, 2.0f), e));
  return hn::CopySign(y, x);
}

// log(1 + exp(x)).
template <class D, class V>
WB_LARGE_INLINE V Softplus(D d, V x) {
  const V one = hn::Set(d, 1.0f);
  const V e = Exp(d, ShallowMinusAbs(d, x));
  // log(1 + e): what is lost in the sum u = 1 + e comes back as a correction.
  const V u = hn::Add(one, e);
  const V lost = hn::Sub(e, hn::Sub(u, one));
  const V log = hn::Add(LogOfNormal(d, u, hn::Zero(d)), hn::Div(lost, u));
  return hn::Add(AtLeast(hn::Zero(d), x), log);
}

// Up to 0.8 an odd polynomial; beyond, 1 - 2^y with the polynomial y = log2(erfc), whose power of
// two need only be as exact as the sum.
template <class D, class V>
WB_LARGE_INLINE V Erf(D d, V x) {
  const V one = hn::Set(d, 1.0f);
  const V a = hn::Abs(x);
  const V t = hn::Mul(x, x);
  V p = hn::Set(d, -6.549597823e-04f);
  p = hn::MulAdd(p, t, hn::Set(d, 5.087440038e-03f));
  p = hn::MulAdd(p, t, hn::Set(d, -2.682210863e-02f));
  p = hn::MulAdd(p, t, hn::Set(d, 1.128314284e-01f));
  p = hn::MulAdd(p, t, hn::Set(d, -3.761260382e-01f));
  p = hn::MulAdd(p, t, hn::Set(d, 1.283791640e-01f));
  const V small = hn::MulAdd(p, x, x);

  const V b = AtMost(hn::Set(d, 4.0f), a);
  V y = hn::Set(d, 2.994063640e-04f);
  y = hn::MulAdd(y, b, hn::Set(d, -4.550697892e-03f));
  y = hn::MulAdd(y, b, hn::Set(d, 3.268951794e-02f));
  y = hn::MulAdd(y, b, hn::Set(d, -1.511991402e-01f));
  y = hn::MulAdd(y, b, hn::Set(d, -9.178676169e-01f));
  y = hn::MulAdd(y, b, hn::Set(d, -1.627693748e+00f));
  y = hn::MulAdd(y, b, hn::Set(d, -9.443982540e-05f));
  const V magic = hn::Set(d, 12582912.0f);
  const V shifted = hn::Add(y, magic);
  const V f = hn::Sub(y, hn::Sub(shifted, magic));
  V power = hn::Set(d, 1.327647154e-03f);
  power = hn::MulAdd(power, f, hn::Set(d, 9.675541371e-03f));
  power = hn::MulAdd(power, f, hn::Set(d, 5.550713276e-02f));
  power = hn::MulAdd(power, f, hn::Set(d, 2.402211972e-01f));
  power = hn::MulAdd(power, f, hn::Set(d, 6.931469671e-01f));
  power = hn::MulAdd(power, f, hn::Set(d, 1.000000072e+00f));
  const V large = hn::NegMulAdd(power, PowerOfTwo(d, shifted), one);
  return hn::IfThenElse(hn::Lt(a, hn::Set(d, 0.8f)), small, hn::CopySign(large, x));
}

}  // namespace waybill::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
