// Sums to results, one vector at a time. Included by SIMD files only, once per target; no guard.
// The including file has included Highway.

HWY_BEFORE_NAMESPACE();
namespace waybill::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using SumTag = hn::ScalableTag<int32_t>;
using SumVec = hn::Vec<SumTag>;
using RealTag = hn::ScalableTag<float>;
using RealVec = hn::Vec<RealTag>;

// Adding 1.5 * 2^23 leaves no bits for a fraction, so the sum is the nearest integer, and its low
// bits are that integer.
struct Rounding {
  RealVec low, high, magic;
  SumVec shift;
};

HWY_INLINE Rounding MakeRounding(const Requantize& out) {
  const RealTag df;
  const SumTag d;
  const int32_t least = out.to == SumTo::kI8 ? -128 : 0;
  Rounding r;
  r.low = hn::Set(df, static_cast<float>(least - out.zero));
  r.high = hn::Set(df, static_cast<float>(least + 255 - out.zero));
  r.magic = hn::Set(df, 12582912.0f);
  r.shift = hn::Set(d, 0x4B400000 - out.zero);
  return r;
}

// The result in the type's range, as 32-bit integers.
HWY_INLINE SumVec RoundToByte(const Rounding& r, SumVec sum, RealVec scale) {
  const RealTag df;
  const SumTag d;
  const RealVec scaled = hn::Mul(hn::ConvertTo(df, sum), scale);
  const RealVec kept = hn::Min(hn::Max(scaled, r.low), r.high);
  return hn::Sub(hn::BitCast(d, hn::Add(kept, r.magic)), r.shift);
}

// Each 32-bit element of `a` and `b` is a pair of 16-bit ones. Adds the sum of both products of
// each pair to `sum`, or something to `sum` and `rest` that SumPairs makes the sum of.
HWY_INLINE SumVec MulPairs(SumVec a, SumVec b, SumVec sum, SumVec& rest) {
#if HWY_TARGET == HWY_SCALAR
  (void)rest;
  const SumVec low =
      hn::Mul(hn::ShiftRight<16>(hn::ShiftLeft<16>(a)), hn::ShiftRight<16>(hn::ShiftLeft<16>(b)));
  const SumVec high = hn::Mul(hn::ShiftRight<16>(a), hn::ShiftRight<16>(b));
  return hn::Add(sum, hn::Add(low, high));
#else
  const hn::Repartition<int16_t, SumTag> dp;
  return hn::ReorderWidenMulAccumulate(SumTag(), hn::BitCast(dp, a), hn::BitCast(dp, b), sum, rest);
#endif
}

HWY_INLINE SumVec SumPairs(SumVec sum, SumVec rest) {
#if HWY_TARGET == HWY_SCALAR
  (void)rest;
  return sum;
#else
  return hn::RearrangeToOddPlusEven(sum, rest);
#endif
}

// `low` and `high` are in the range of 16 bits.
HWY_INLINE SumVec MakePairs(SumVec low, SumVec high) {
  return hn::Or(hn::And(low, hn::Set(SumTag(), 0xFFFF)), hn::ShiftLeft<16>(high));
}

}  // namespace waybill::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
